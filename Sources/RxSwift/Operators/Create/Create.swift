// SPDX-License-Identifier: Apache-2.0

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

    /// True if the source is an `ObservableType` of the program's own.
    private let isForeign: Bool

    // Usable from inline, so that `create` is compiled where the type of its elements is known, without a look-up of metadata per call.
    @usableFromInline
    init(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.subscribe = subscribe
        isForeign = false
        super.init()
    }

    @usableFromInline
    init(foreign subscribe: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.subscribe = subscribe
        isForeign = true
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = CreateSink(downstream: downstream, isForeign: isForeign)
        sink.linkDownstream()
        let disposable = subscribe(AnyObserver(sink: sink))
        sink.link(DisposableStage(disposable))
    }
}

final class CreateSink<Element>: SerializedSink<Element> {
    /// True if the sink receives the events of an `ObservableType` of the program's own.
    private let isForeign: Bool

    init(downstream: Sink<Element>, isForeign: Bool) {
        self.isForeign = isForeign
        super.init(downstream: downstream)
    }

    package override var operatorName: StaticString { "create" }

    package override var endsByItself: Bool { !isForeign }
}
