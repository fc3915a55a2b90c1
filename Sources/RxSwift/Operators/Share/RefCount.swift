import RxPrimitives

extension ConnectableObservableType {
    /// A sequence that is connected while somebody is subscribed to it.
    ///
    /// The first subscriber connects, after it was subscribed; the last one that leaves disconnects.
    /// - SeeAlso: [RefCount](https://reactivex.io/documentation/operators/refcount.html)
    public func refCount() -> Observable<Element> {
        RefCount(source: asObservable(), connect: connect)
    }
}

final class RefCount<Element>: Observable<Element> {
    private let source: Observable<Element>
    private let connect: () -> any Disposable
    private let lock = Mutex()
    // Under the lock.
    private var state = RefCountState()
    private var connection: (any Disposable)?

    init(source: Observable<Element>, connect: @escaping () -> any Disposable) {
        self.source = source
        self.connect = connect
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        if let generation = join(downstream) { connected(connect(), generation) }
    }

    // Apart from connecting, so that a chain needs little stack for each of these (law L8).

    /// - Returns: not nil if the new subscriber has to connect.
    @inline(never)
    private func join(_ downstream: Sink<Element>) -> Int? {
        let sink = RefCountSink(parent: self, downstream: downstream)
        source.attach(sink)
        lock.lock()
        defer { lock.unlock() }
        return state.join(&sink.membership)
    }

    @inline(never)
    private func connected(_ made: any Disposable, _ generation: Int) {
        lock.lock()
        let isWanted = state.connected(generation)
        if isWanted { connection = made }
        lock.unlock()
        if !isWanted { made.dispose() }
    }

    /// The subscriber has left.
    fileprivate func leave(_ sink: RefCountSink<Element>) {
        disconnect { state.leave(&sink.membership) }
    }

    /// The source has ended.
    fileprivate func terminated(_ sink: RefCountSink<Element>) {
        disconnect { state.terminated(&sink.membership) }
    }

    private func disconnect(if decision: () -> Bool) {
        var ended: (any Disposable)?
        lock.lock()
        if decision() { ended = connection.take() }
        lock.unlock()
        ended?.dispose()
    }
}

final class RefCountSink<Element>: LinearSink<Element, Element> {
    private let parent: RefCount<Element>
    /// Under the parent's lock.
    fileprivate var membership = RefCountState.Membership.pending

    init(parent: RefCount<Element>, downstream: Sink<Element>) {
        self.parent = parent
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Swift.Error) {
        parent.terminated(self)
        downstream.error(error)
    }

    override func completed() {
        parent.terminated(self)
        downstream.completed()
    }

    override func cancel() {
        super.cancel()
        parent.leave(self)
    }
}
