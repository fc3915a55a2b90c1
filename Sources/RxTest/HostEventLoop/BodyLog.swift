// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Makes numbered bodies for a host's loop, and records what becomes of them.
///
/// Each body tells by itself whether it runs on the loop, alone, and outside of `enqueue`.
final class BodyLog: @unchecked Sendable {
    private let loop: any HostEventLoop
    private let lock = Mutex()

    // Under the lock.
    private var order: [Int] = []
    private var madeCount = 0
    private var releasedCount = 0
    private var droppedCount = 0
    private var running = 0
    private var threads: Set<UInt> = []
    /// The threads that are calling `enqueue`.
    private var callers: Set<UInt> = []
    private var faults: [String] = []

    init(_ loop: any HostEventLoop) { self.loop = loop }

    // MARK: Enqueueing

    /// - Parameters:
    ///   - dropped: runs when the loop releases the body without having run it.
    ///   - then: runs in the body.
    func enqueue(_ number: Int, dropped: @escaping @Sendable () -> Void = {}, then: @escaping @Sendable () -> Void = {})
    {
        let body = Body(self, number, dropped)
        calling("enqueue") { loop.enqueue { body.run(then) } }
    }

    func enqueue(after delay: Int64, _ number: Int, then: @escaping @Sendable () -> Void = {}) {
        let body = Body(self, number, {})
        calling("enqueue(afterNanoseconds:)") { loop.enqueue(afterNanoseconds: delay) { body.run(then) } }
    }

    private func calling(_ name: String, _ call: () -> Void) {
        let thread = CurrentThread.identity
        lock.withLock {
            madeCount += 1
            _ = callers.insert(thread)
        }
        call()
        lock.withLock { _ = callers.remove(thread) }
    }

    // MARK: What came

    /// The numbers of the bodies that ran, in order.
    var ran: [Int] { lock.withLock { order } }

    var ranCount: Int { lock.withLock { order.count } }

    /// The number of bodies that the loop has released, whether or not they ran.
    var released: Int { lock.withLock { releasedCount } }

    /// The number of bodies that the loop has released without running them.
    var dropped: Int { lock.withLock { droppedCount } }

    /// The number of bodies that were enqueued.
    var made: Int { lock.withLock { madeCount } }

    /// What bodies have noticed, each once.
    var noticed: [String] { lock.withLock { faults } }

    /// The number of threads on which bodies ran.
    var threadCount: Int { lock.withLock { threads.count } }

    // MARK: Bodies

    private func begin(_ number: Int, runs: Int) {
        let isCurrent = loop.isCurrent
        let thread = CurrentThread.identity
        lock.lock()
        order.append(number)
        _ = threads.insert(thread)
        running += 1
        if running > 1 { note("one at a time: a body must not begin while another one runs; two ran at the same time") }
        if callers.contains(thread) {
            note("enqueue: must return before the body runs; the body ran inside of it")
        }
        if runs > 1 { note("once: a body must run once; one ran \(runs) times") }
        if !isCurrent { note("isCurrent: must be true in a body; it was false") }
        lock.unlock()
    }

    private func end() { lock.withLock { running -= 1 } }

    private func released(_ runs: Int) {
        lock.withLock {
            releasedCount += 1
            if runs == 0 { droppedCount += 1 }
        }
    }

    /// Under the lock.
    private func note(_ fault: String) {
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// What the closure of a body holds.
    private final class Body: @unchecked Sendable {
        private let log: BodyLog
        private let number: Int
        private let dropped: @Sendable () -> Void
        private let runs = AtomicWord(0)

        init(_ log: BodyLog, _ number: Int, _ dropped: @escaping @Sendable () -> Void) {
            self.log = log
            self.number = number
            self.dropped = dropped
        }

        func run(_ then: () -> Void) {
            log.begin(number, runs: Int(runs.fetchAdd(1)) + 1)
            then()
            log.end()
        }

        deinit {
            let count = Int(runs.loadAcquiring())
            if count == 0 { dropped() }
            log.released(count)
        }
    }
}
