// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport

extension Laws {
    /// The events that an observer received, and the faults of its calls. Outlives the observer.
    final class Record: @unchecked Sendable {
        private let inside = AtomicWord(0)
        private let overlapCount = AtomicWord(0)
        private let afterTerminalCount = AtomicWord(0)
        private let afterDisposeCount = AtomicWord(0)
        private let isDisposed = AtomicWord(0)
        private let lock = NSLock()
        /// Under the lock.
        private var log: [Event<Int>] = []
        private var isOver = false

        /// Called inside the observer with the number of events before this one. Set before the first event.
        var onEvent: ((Int, Event<Int>) -> Void)?

        /// Calls that began during another one: overlapping (law L2) or nested (law L3).
        var overlaps: UInt { overlapCount.loadAcquiring() }
        /// Events after a terminal event (law L1).
        var afterTerminal: UInt { afterTerminalCount.loadAcquiring() }
        /// Events after `noteDisposed` (law L5).
        var afterDispose: UInt { afterDisposeCount.loadAcquiring() }

        var events: [Event<Int>] { lock.withLock { log } }
        var elements: [Int] { events.compactMap(\.element) }
        var terminal: Event<Int>? { events.first { $0.isStopEvent } }
        var hasEnded: Bool { lock.withLock { isOver } }

        /// `dispose()` has returned.
        func noteDisposed() { isDisposed.storeReleasing(1) }

        func received(_ event: Event<Int>) {
            if isDisposed.loadAcquiring() != 0 { _ = afterDisposeCount.fetchAdd(1) }
            if inside.fetchAdd(1) != 0 { _ = overlapCount.fetchAdd(1) }
            let before = lock.withLock {
                if isOver { _ = afterTerminalCount.fetchAdd(1) }
                if event.isStopEvent { isOver = true }
                log.append(event)
                return log.count - 1
            }
            onEvent?(before, event)
            _ = inside.fetchAdd(0 &- 1)
        }

        /// The fault of the calls to the observer, or nil.
        var violation: String? {
            var found: [String] = []
            if overlaps > 0 { found.append("\(overlaps) calls overlapped or nested") }
            if afterTerminal > 0 { found.append("\(afterTerminal) events after the terminal event") }
            return found.isEmpty ? nil : found.joined(separator: ", ") + ": \(text)"
        }

        var text: String {
            let all = events
            return all.prefix(40).map(\.debugDescription).joined(separator: " ") + (all.count > 40 ? " ..." : "")
        }
    }

    /// The observer. Its own class, so that its release can be watched while the record is kept.
    final class Witness: ObserverType {
        private let record: Record

        init(_ record: Record) { self.record = record }

        func on(_ event: Event<Int>) { record.received(event) }
    }
}
