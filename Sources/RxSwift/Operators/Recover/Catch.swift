// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Continues with another sequence when this one fails.
    ///
    /// - Parameter handler: makes the sequence to continue with, on the thread on which the error arrives. An error it throws ends
    ///   the result, and so does an error of the sequence it made.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @preconcurrency @inlinable
    public func `catch`(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(source: asObservable(), handler: handler)
    }

    /// The former name of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency @inlinable
    public func catchError(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(source: asObservable(), handler: handler)
    }
}

@usableFromInline
final class Catch<Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let handler: (any Swift.Error) throws -> Observable<Element>
    @usableFromInline let sinkType: CatchSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, handler: @escaping (any Swift.Error) throws -> Observable<Element>) {
        self.source = source
        self.handler = handler
        self.sinkType = CatchSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        let sink = sinkType.init(handler: handler, downstream: downstream)
        downstream.link(sink)
        source.subscribeCore(sink)
    }
}

/// Receives the source's events, and after an error those of the sequence that replaces it.
@usableFromInline
final class CatchSink<Element>: Sink<Element> {
    /// The handler, nil once it was used. Only the thread that delivers the source's events touches it.
    private var handler: ((any Swift.Error) throws -> Observable<Element>)?
    private let downstream: Sink<Element>
    private let failed = EndingSource()
    /// Covers the subscription to the sequence that replaces the failed one.
    private let subscribePhase = SubscribePhase()

    required init(handler: @escaping (any Swift.Error) throws -> Observable<Element>, downstream: Sink<Element>) {
        self.handler = handler
        self.downstream = downstream
        super.init()
    }

    @usableFromInline
    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    @usableFromInline
    override func completed() { completed(then: {}) }

    @usableFromInline
    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed(then after: () -> Void) {
        end(subscribePhase, { downstream.completed() }, then: after)
    }

    // Split into parts, so that little stays on the stack below the successor (law L8).

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        if handler == nil { return successorFailed(error, then: after) }
        if let successor = successor(to: error) { subscribe(to: successor) }
        failed.cancel()
        after()
    }

    @inline(never)
    private func successorFailed(_ error: any Swift.Error, then after: () -> Void) {
        end(subscribePhase, { downstream.error(error) }, then: after)
    }

    /// Returns the successor, or nil if the handler threw, which ends the sequence, or if this stage was cancelled inside the handler.
    @inline(never)
    private func successor(to error: any Swift.Error) -> Observable<Element>? {
        guard let handler = handler.take() else { return nil }
        failed.keep(unlinkSource())
        do {
            let successor = try handler(error)
            return isCancelled ? nil : successor
        } catch {
            if !isCancelled { fail(error) }
            return nil
        }
    }

    private func subscribe(to successor: Observable<Element>) {
        subscribePhase.begin()
        successor.start(self)
        _ = subscribePhase.end()
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        failed.cancel()
    }

    private func fail(_ error: any Swift.Error) {
        downstream.error(error)
        cancel()
    }
}
