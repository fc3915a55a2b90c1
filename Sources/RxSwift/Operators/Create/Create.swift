// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// A sequence made by a closure that receives each subscriber.
    ///
    /// The observer may be used from any thread and from inside its own callbacks: its events reach the subscriber one at a time,
    /// in order of acceptance.
    /// - Parameter subscribe: runs at each subscription, on the subscribing thread, and returns a disposable that ends the
    ///   subscription's work. It is disposed of after the terminal event or when the subscriber disposes.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Create(subscribe)
    }
}

@usableFromInline
final class Create<Element>: Observable<Element>, @unchecked Sendable {
    private let subscribe: (AnyObserver<Element>) -> any Disposable

    /// False if the sequence stands for an `ObservableType` of the program's own, which `subscribe(on:)` unsubscribes from itself.
    private let endsByItself: Bool

    // Usable from inline, so that `create` is compiled where the type of its elements is known, without a look-up of metadata per call.
    @usableFromInline
    init(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.subscribe = subscribe
        endsByItself = true
        super.init()
    }

    @usableFromInline
    init(foreign subscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.subscribe = subscribe
        endsByItself = false
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = CreateSink(downstream: downstream, endsByItself: endsByItself)
        sink.linkDownstream()
        let disposable = subscribe(AnyObserver(sink: sink))
        sink.link(DisposableStage(disposable))
    }
}

final class CreateSink<Element>: SerializedSink<Element> {
    package override var endsByItself: Bool { endsAtTerminalEvent }
    private let endsAtTerminalEvent: Bool

    /// 0, or from when this stage is abandoned: 1 and the number of events dropped since.
    private let lateEvents = AtomicWord(0)

    init(downstream: Sink<Element>, endsByItself: Bool) {
        endsAtTerminalEvent = endsByItself
        super.init(downstream: downstream)
    }

    package override var operatorName: StaticString { "create" }

    package override func abandonSubscription() -> UInt {
        lateEvents.storeRelaxed(1)
        return super.abandonSubscription()
    }

    package override func eventDropped(isTerminal: Bool) {
        if lateEvents.loadRelaxed() == 0 { return }
        let hasEnded = isTerminal && endsByItself
        if hasEnded || lateEvents.fetchAdd(1) >= Stage.lateEventLimit { cancel() }
    }
}
