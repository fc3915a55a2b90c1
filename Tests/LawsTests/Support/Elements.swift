// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// Returns the fault of the elements that arrived, or nil (law L4).
    ///
    /// - Parameters:
    ///   - sent: the elements that the sources sent, each source in its order; the hundred thousands of an element name its
    ///   source.
    ///   - isComplete: whether everything had the time to arrive.
    static func complaint(
        _ keeps: Keeps, received: [Int], sent: [Int], tested: Int, isComplete: Bool
    ) -> String? {
        if keeps == .nothing { return nil }
        let known = Set(sent)
        if let stranger = received.first(where: { !known.contains($0) }) { return "\(stranger) was never sent" }
        var last: [Int: Int] = [:]
        for element in received {
            let source = element / 100_000
            if let before = last[source], element < before || (element == before && keeps != .repeating) {
                return "\(element) after \(before)"
            }
            last[source] = element
        }
        guard isComplete else { return nil }
        switch keeps {
        case .everything where received.count != sent.count:
            return "lost \(known.subtracting(received).sorted().prefix(10))"
        case .tested:
            let own = sent.filter { $0 / 100_000 == tested + 1 }
            return received == own ? nil : "lost \(Set(own).subtracting(received).sorted().prefix(10)) of \(own.count)"
        default: return nil
        }
    }
}
