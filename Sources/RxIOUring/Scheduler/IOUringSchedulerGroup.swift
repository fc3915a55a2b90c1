import Glibc
import RxPrimitives
public import RxSwift

/// Several event loops, among which work that need not share a thread is spread.
///
/// Each loop is a serial scheduler of its own; between two of them there is no order. They end as other loops do: by
/// `shutdown()`, or each when it and the group were released and it has nothing left to do.
public final class IOUringSchedulerGroup {
    /// The loops of the group.
    public let schedulers: [IOUringScheduler]

    /// The number of calls of `next`.
    private let turn = AtomicWord(0)

    /// Starts the loops' threads, and returns when they are ready.
    ///
    /// - Parameters:
    ///   - count: the number of loops, at least 1; nil makes one for each processor that is online.
    ///   - name: names the threads, with a number behind it.
    ///   - spin: the way the threads wait for work before they sleep.
    ///   - pinned: if true, each loop's thread stays on a processor: loop n on processor n, counted round.
    ///   - backend: see `IOUringScheduler`.
    ///   - stallLimit: see `IOUringScheduler`; one thread looks at all loops.
    public init(
        count: Int? = nil, name: String = "rx.io", spin: IOUringScheduler.Spin = .none, pinned: Bool = false,
        backend: IOUringScheduler.Backend? = nil, stallLimit: RxTimeInterval? = nil
    ) {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let count = count ?? processors
        if count <= 0 { fatalError("IOUringSchedulerGroup: needs at least 1 loop, not \(count)") }
        schedulers = (0..<count).map { number in
            IOUringScheduler(
                name: "\(name).\(number)", spin: spin, processor: pinned ? number % processors : nil, backend: backend,
                stallLimit: stallLimit)
        }
    }

    /// Returns the loops in turns. From any thread.
    public func next() -> IOUringScheduler {
        schedulers[Int(turn.fetchAddRelaxed(1) % UInt(schedulers.count))]
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
