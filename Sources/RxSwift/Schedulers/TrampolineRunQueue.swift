// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The queue of a hop on `CurrentThreadScheduler`. The trampoline of the thread that finds the queue idle drains it.
///
/// That thread delivers what it has sent itself, and as much as law L12 allows of what others send meanwhile. A deputy delivers the rest.
final class TrampolineRunQueue: PrivateRunQueue, DeputyWork {
    // Relaxed: hints for the budget, by which nothing is published.
    /// The identity of the drainer's thread, which writes it.
    private let drainer = AtomicWord(0)

    /// 1 once another thread has sent something since the queue was idle. It may miss the first such event.
    private let hasForeignEvents = AtomicWord(0)

    override func noteProducer() {
        if hasForeignEvents.loadRelaxed() != 0 || drainer.loadRelaxed() == CurrentThread.identity { return }
        hasForeignEvents.storeRelaxed(1)
    }

    override func wake() {
        drainer.storeRelaxed(CurrentThread.identity)
        hasForeignEvents.storeRelaxed(0)
        super.wake()
    }

    override func wakeAgain() {
        let goesOn = hasForeignEvents.loadRelaxed() == 0 || Trampoline.current.admitsForeignJob()
        if goesOn || !DeputyPool.shared.submit(self) { super.wake() }
    }

    func drainAsDeputy() {
        drainer.storeRelaxed(CurrentThread.identity)
        super.wake()
    }
}

/// The stage of `observe(on: CurrentThreadScheduler.instance)`.
final class TrampolineHopSink<Element>: ObserveOnSink<Element> {
    package override func next(_ element: Element) {
        (runQueue as? TrampolineRunQueue)?.noteProducer()
        super.next(element)
    }
}
