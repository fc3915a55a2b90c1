// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
public import RxSwift

/// Several event loops, among which work that need not share a thread is spread.
///
/// Each loop is a serial scheduler of its own; between two of them there is no order. They end as other loops do: by
/// `shutdown()`, or each when it and the group were released and it has nothing left to do.
public final class IOUringSchedulerGroup: @unchecked Sendable {
    /// The loops of the group.
    public let schedulers: [IOUringScheduler]

    /// The loops that `next` returns: those that could be made, or all if none could.
    private let usable: [IOUringScheduler]

    /// The number of calls of `next`.
    private let turn = AtomicWord(0)

    /// Starts the loops' threads, and returns when they are ready.
    ///
    /// A loop for which the system has no thread or no descriptor left is shut down from the start: see `IOUringScheduler.failure`.
    /// - Parameters:
    ///   - count: the number of loops, at least 1; nil makes one for each processor that the calling thread may use, but not more than
    ///     its control groups grant it (`cpu.max`; 2.5 processors make 3 loops).
    ///   - name: names the threads, followed by a number.
    ///   - spin: the way the threads wait for work before they sleep.
    ///   - pinned: if true, each loop's thread stays on a processor: loop n on the nth of those that the calling thread may use, counted round.
    ///   - backend: see `IOUringScheduler`.
    ///   - stallLimit: see `IOUringScheduler`; one thread looks at all loops.
    public init(
        count: Int? = nil, name: String = "rx.io", spin: IOUringScheduler.Spin = .none, pinned: Bool = false,
        backend: IOUringScheduler.Backend? = nil, stallLimit: RxTimeInterval? = nil
    ) {
        let processors = UsableProcessors.numbers()
        let count = count ?? UsableProcessors.count(of: processors, quota: CPUQuota.ofThisProcess)
        if count <= 0 { fatalError("IOUringSchedulerGroup: needs at least 1 loop, not \(count)") }
        schedulers = (0..<count).map { number in
            IOUringScheduler(
                name: "\(name).\(number)", spin: spin,
                processor: pinned ? processors[number % processors.count] : nil, backend: backend,
                stallLimit: stallLimit)
        }
        let made = schedulers.filter { $0.failure == nil }
        usable = made.isEmpty ? schedulers : made
    }

    package init(_ schedulers: [IOUringScheduler]) {
        self.schedulers = schedulers
        usable = schedulers
    }

    /// Returns the loops that could be made, in turns. From any thread.
    ///
    /// Passes over those that have been shut down, as long as there is another one. A loop that is shut down right after this call rejects work.
    public func next() -> IOUringScheduler {
        let first = turn.fetchAddRelaxed(1)
        for offset in 0..<UInt(usable.count) {
            let scheduler = usable[Int((first &+ offset) % UInt(usable.count))]
            if !scheduler.loop.isEndingSoon { return scheduler }
        }
        return usable[Int(first % UInt(usable.count))]
    }

    /// Ends all loops, as `IOUringScheduler.shutdown()` does.
    ///
    /// From any thread, any number of times. Returns when all threads have ended; called on one of the loops it returns at once.
    public func shutdown() {
        for scheduler in schedulers { scheduler.loop.requestStop() }
        if schedulers.contains(where: \.loop.isOwnThread) { return }
        for scheduler in schedulers { scheduler.loop.waitForEnd() }
    }
}
