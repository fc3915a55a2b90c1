import Glibc
import RxPrimitives
import RxSwift

/// A source whose events come from an event loop: one for each subscription. Emits on the loop's thread.
///
/// Life: `begin` when the loop comes to it, `end` after the terminal event, a dispose or the loop's end; each once, on the
/// loop.
class LoopSource<Element>: Source, LoopDependent {
    final let loop: EventLoop

    /// Nil from the end on. Only the loop, but for a source that never began.
    @exclusivity(unchecked) private final var downstream: Sink<Element>?

    /// 1 from `stop` on: nothing is emitted any more.
    private final let isStopped = AtomicWord(0)

    /// Between `begin` and `end`. Only the loop.
    @exclusivity(unchecked) final private(set) var isRunning = false

    /// Nil until the source has waited for memory. Only the loop.
    @exclusivity(unchecked) private final var stall: StallWarning?

    init(loop: EventLoop, downstream: Sink<Element>) {
        self.loop = loop
        self.downstream = downstream
    }

    /// Opens what is read from, and submits the first operations. On the loop.
    func begin() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Cancels operations in flight, and closes. On the loop.
    func end() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Subscribes to what is to be written, if that is to happen on the subscribing thread. The loop begins meanwhile.
    func subscribeToInput() {}

    /// Nothing is wanted any more: the subscription was disposed of. On any thread, before the loop comes to `end`, for which a source that
    /// keeps the loop's thread would never leave it.
    func wasStopped() {}

    /// What an error is about.
    var subject: String { "" }

    final func start() {
        loop.perform {
            if self.isStopped.loadRelaxed() != 0 { return self.letGo() }
            guard self.loop.add(self) else { return self.reject() }
            self.isRunning = true
            self.begin()
        } rejected: {
            self.reject()
        }
        subscribeToInput()
    }

    final func stop() {
        // Releasing: the loop, which looks at it, is told by the message.
        isStopped.storeReleasing(1)
        wasStopped()
        loop.perform(finish)
    }

    final func loopEnded() {
        guard isRunning else { return }
        isRunning = false
        stall?.end()
        end()
        failDownstream(IOError(code: ECANCELED, operation: "event loop shut down", subject: subject))
    }

    // MARK: For subclasses, on the loop

    /// Whether `emit` passes something on. Out of date as soon as it is read.
    final var isWanted: Bool { isStopped.loadRelaxed() == 0 }

    final func emit(_ element: Element) {
        if isStopped.loadRelaxed() == 0 { downstream?.next(element) }
    }

    /// Ends with an error of the system.
    final func fail(_ operation: String, _ code: CInt) {
        fail(with: IOError(code: code, operation: operation, subject: subject))
    }

    final func fail(with error: any Swift.Error) {
        guard isRunning else { return }
        finishRunning()
        failDownstream(error)
    }

    final func complete() {
        guard isRunning else { return }
        finishRunning()
        let downstream = downstream
        letGo()
        if isStopped.loadRelaxed() == 0 { downstream?.completed() }
    }

    /// Runs `body` on the loop if the source is running then. From any thread.
    final func whileRunning(_ body: @escaping () -> Void) {
        loop.perform {
            if self.isRunning { body() }
        }
    }

    /// The source waits until one of so many chunks is let go of. If that takes long, it says so.
    final func waitForMemory(_ window: Int) {
        let stall = stall ?? StallWarning(subject, window: window, on: loop)
        self.stall = stall
        stall.blocked()
    }

    /// It has got some.
    final func stopWaiting() { stall?.unblocked() }

    // MARK: Ending

    private final func finish() {
        if isRunning { finishRunning() }
        letGo()
    }

    private final func finishRunning() {
        isRunning = false
        stall?.end()
        loop.remove(self)
        end()
    }

    /// The loop takes no more work. Nobody is told within the call that found out: with a `retry` without a limit that call, be
    /// it a `subscribe` or the end of the loop, would never return.
    private final func reject() {
        let error = IOError(code: ECANCELED, operation: "event loop shut down", subject: subject)
        loop.performElsewhere { self.failDownstream(error) }
    }

    private final func failDownstream(_ error: any Swift.Error) {
        let downstream = downstream
        letGo()
        if isStopped.loadRelaxed() == 0 { downstream?.error(error) }
    }

    private final func letGo() { downstream = nil }
}

extension IOUringScheduler {
    /// A sequence whose source lives on this loop.
    func observable<Element>(_ makeSource: @escaping (Sink<Element>) -> LoopSource<Element>) -> Observable<Element> {
        SourceObservable(
            nameIfHeldByCaller: { self.isCurrent ? "the event loop \(self.name)" : nil }, makeSource: makeSource)
    }
}
