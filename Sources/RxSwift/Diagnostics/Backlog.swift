// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Notices queues that grow because events come faster than they are delivered (law L10).
@usableFromInline
package enum Backlog {
    /// The record of the reports about one queue: the serializer or the hop of one subscription.
    package struct Place: ~Copyable {
        /// The greatest multiple of the threshold that was reported. Only rises.
        private let reported = AtomicWord(0)

        package init() {}

        /// Notes that the queue has come to a multiple of the threshold.
        ///
        /// - Returns: whether it was reported as short before; nil if this multiple was reported already.
        fileprivate func reach(_ multiple: UInt) -> Bool? {
            while true {
                let known = reported.loadRelaxed()
                if multiple <= known { return nil }
                if reported.compareExchange(known, multiple) { return known == 0 }
            }
        }
    }

    /// Takes the number of events pending at a serializer or `observe(on:)`, when an event was queued. The caller holds no lock.
    package static func noticed(_ count: Int, at operatorName: StaticString, _ place: borrowing Place) {
        noticed(count, "events", threshold: Hooks.backlogThreshold, at: "\(operatorName)", place)
    }

    /// Takes what waits at a place that has a threshold of its own, when some was queued. The caller holds no lock.
    ///
    /// - Parameter unit: what is counted.
    package static func noticed(
        _ count: Int, _ unit: String, threshold: Int, at name: @autoclosure () -> String, _ place: borrowing Place
    ) {
        guard count >= threshold, let isFirst = place.reach(UInt(count / threshold)) else { return }
        Hooks.report(backlog: count, unit, at: name(), isFirst: isFirst)
    }

    /// The part of a queue that counts as a backlog: of one that pauses a source nothing, unless there is much more than sources emit between two
    /// questions. That comes of a source that cannot pause, beside the other one.
    package static func count(_ count: Int, whilePausing isPausing: Bool) -> Int {
        isPausing && count / 10 < Hooks.backlogThreshold ? 0 : count
    }

    /// Tells whether `noticed` may have something to do for that many events.
    @inline(__always)
    static func isNotable(_ count: Int) -> Bool { count >= Hooks.backlogThreshold }
}
