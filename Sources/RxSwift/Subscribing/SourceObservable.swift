// SPDX-License-Identifier: Apache-2.0

/// The origin of the events of a `SourceObservable`: an object of another module, one for each subscription.
package protocol Source: AnyObject {
    /// Begins to emit into the sink that it was made for, serially. Called once, on the subscribing thread; maybe after `stop`.
    func start()

    /// Tells the source that the chain takes no further event, and that `stop` follows, maybe much later, by a thread that has been held up. Called at
    /// most a few times, from any thread.
    func quiesce()

    /// Stops the source, because no more events are wanted or a terminal event was sent. Called once, from any thread.
    func stop()
}

/// An observable whose source belongs to another module.
package final class SourceObservable<Element>: Observable<Element>, @unchecked Sendable {
    /// The thing that the source reads, as errors name it: an address; nil if operators need no name of it.
    package let subject: String?

    private let makeSource: (Sink<Element>) -> any Source
    private let nameIfHeldByCaller: () -> String?

    /// - Parameters:
    ///   - subject: the thing that the source reads.
    ///   - nameIfHeldByCaller: returns the name of the queue or loop that delivers the events, if the calling thread is keeping it
    ///     from doing so.
    ///   - makeSource: called for each subscription.
    package init(
        subject: String? = nil, nameIfHeldByCaller: @escaping () -> String? = { nil },
        makeSource: @escaping (Sink<Element>) -> any Source
    ) {
        self.subject = subject
        self.makeSource = makeSource
        self.nameIfHeldByCaller = nameIfHeldByCaller
        super.init()
    }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        let source = makeSource(downstream)
        downstream.link(SourceStage(source))
        source.start()
    }

    package override var startsOnTrampoline: Bool { false }

    package override func queueHeldByCaller(mainQueueRuns: Bool) -> String? { nameIfHeldByCaller() }
}

/// The upper end of a chain whose source belongs to another module.
private final class SourceStage: Stage {
    private let source: any Source

    init(_ source: any Source) {
        self.source = source
        super.init()
    }

    override func quiesce() -> UInt {
        source.quiesce()
        return 0
    }

    override func quiesceBoundary() -> UInt { quiesce() }

    override func cancel() {
        if takeUpstream() != nil { source.stop() }
    }
}
