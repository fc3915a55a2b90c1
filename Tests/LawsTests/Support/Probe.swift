// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives

extension Laws {
    /// The object that all closures of an operator under test capture and call. Its release shows that of the closures.
    final class Probe: @unchecked Sendable {
        private let script: Script

        init(_ script: Script) { self.script = script }

        /// A closure that may throw runs.
        func visit(_ site: String) throws {
            if script.isActive { try script.visited(site, canThrow: true) }
        }

        /// A closure that may not throw runs.
        func note(_ site: String) {
            if script.isActive { try? script.visited(site, canThrow: false) }
        }
    }

    /// The script for the closures of an operator. Set up before the first event.
    final class Script: @unchecked Sendable {
        private let lock = NSLock()
        /// Under the lock.
        private var counts: [String: Int] = [:]
        private var total = 0
        private var thrown = false

        /// True if the closures report. They do not in races, where the lock would keep threads from overlapping.
        var isActive = false
        /// The closure that throws, and at which of its runs.
        var throwing: (site: String, run: Int)?
        /// Called in each closure with the number of runs before, of all closures together.
        var onVisit: ((Int) -> Void)?

        /// The number of runs of each closure.
        var visits: [String: Int] { lock.withLock { counts } }
        /// The number of runs of all closures together.
        var totalVisits: Int { lock.withLock { total } }
        var hasThrown: Bool { lock.withLock { thrown } }

        /// The closures that may throw.
        private(set) var throwingSites: Set<String> = []

        func visited(_ site: String, canThrow: Bool) throws {
            let (run, before) = lock.withLock {
                defer {
                    counts[site, default: 0] += 1
                    total += 1
                }
                if canThrow { throwingSites.insert(site) }
                return (counts[site, default: 0], total)
            }
            onVisit?(before)
            if canThrow, let throwing, throwing.site == site, throwing.run == run {
                lock.withLock { thrown = true }
                throw LawError.thrown(site)
            }
        }
    }

    enum LawError: Error, Equatable, CustomStringConvertible {
        /// A source failed.
        case source
        /// A closure threw.
        case thrown(String)

        var description: String {
            switch self {
            case .source: "source"
            case .thrown(let site): "thrown by \(site)"
            }
        }
    }
}
