#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The thread of an event loop, as its queue of turns sees it.
package protocol LoopThread: AnyObject {
    /// Brings the thread back to work, which may be about to sleep, or asleep. From any thread.
    func wake()
}

/// The queue of turns of an event loop, whose thread is at work from its start until it goes to sleep in the kernel.
///
/// While the thread is awake nobody has to wake it, and what it hands over to itself costs no atomic operation.
package final class LoopTurnQueue: TurnQueue {
    /// Set once by the thread itself, before anybody else knows this queue.
    @exclusivity(unchecked) private var thread: pthread_t?

    /// The loop, which outlives this queue's use.
    private unowned(unsafe) let loop: any LoopThread

    /// To be made for a thread that is at work.
    package init(loop: any LoopThread, stepsPerTurn: Int) {
        self.loop = loop
        super.init(stepsPerTurn: stepsPerTurn, entered: true)
    }

    /// The calling thread is the loop's.
    package func bindToCurrentThread() { thread = pthread_self() }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool { pthread_self() == thread }

    package override func post(_ job: Job) {
        if isOnLoop { postFromWithin(job) } else { postFromAnywhere(job) }
    }

    package override func wake() { loop.wake() }

    package override func nameIfHeldByCaller(mainQueueRuns: Bool) -> String? { isOnLoop ? "an event loop" : nil }
}
