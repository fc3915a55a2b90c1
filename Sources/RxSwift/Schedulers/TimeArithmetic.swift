// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import FoundationEssentials

extension RxTime {
    /// The time so much later; the distant future for `.never`.
    package func advanced(by interval: RxTimeInterval) -> RxTime {
        guard let seconds = interval.seconds else { return .distantFuture }
        return addingTimeInterval(seconds)
    }
}

extension RxTimeInterval {
    /// This span in seconds; nil for `.never`.
    package var seconds: Double? {
        switch self {
        case .seconds(let value): return Double(value)
        case .milliseconds(let value): return Double(value) / 1_000
        case .microseconds(let value): return Double(value) / 1_000_000
        case .nanoseconds(let value): return Double(value) / 1_000_000_000
        case .never: return nil
        @unknown default: return nil
        }
    }
}
