// SPDX-License-Identifier: Apache-2.0

/// Passes each event it receives to all current subscribers.
///
/// A subscriber sees every event whose delivery starts after it subscribed; one that comes after the terminal event gets only that.
/// Events may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one event in order of subscription. Emitting takes no lock and allocates nothing while
/// no other thread is delivering.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public final class PublishSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    /// The type of the subject as an observer.
    public typealias SubjectObserverType = PublishSubject<Element>

    @usableFromInline let core: SubjectCore<Element>
    @usableFromInline let disposal = DisposalFlag()
    /// The first terminal event behind `dispose()`, which later subscribers get.
    @usableFromInline let lateEnd = LateEnd()

    /// Creates a subject that has no subscribers.
    @inlinable
    public override init() {
        core = SubjectCore(name: "PublishSubject")
        super.init()
    }

    deinit {
        core.end(.abandoned)
    }

    /// True if there is a subscription. If so, every event sent from then on reaches it, also a subscription of another thread.
    public var hasObservers: Bool { core.hasObservers }

    /// True once `dispose()` has been called.
    public var isDisposed: Bool { disposal.isDisposed }

    /// Passes one event to all subscribers.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.next(element)
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    @usableFromInline
    func end(_ error: (any Swift.Error)?) {
        if isDisposed { return lateEnd.accept(error) }
        if let error { core.end(.error(error)) } else { core.end(.completed) }
    }

    /// Returns the subject as an observer.
    public func asObserver() -> PublishSubject<Element> { self }

    /// Drops all subscribers without an event.
    ///
    /// Later subscribers get the error `RxError.disposed`, or, as in RxSwift, the first terminal event that is sent after the last such call. Events
    /// that were accepted before are still delivered: inside a callback of this subject, those that the callback has sent.
    public func dispose() {
        if disposal.dispose() { core.end(.abandoned) } else { lateEnd.clear() }
    }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        if isDisposed { return rejectLate(downstream) }
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

extension PublishSubject {
    /// Ends a subscriber that comes behind `dispose()`.
    private func rejectLate(_ downstream: Sink<Element>) {
        switch lateEnd.event {
        case nil: downstream.linkAndFail(RxError.disposed(object: self))
        case .some(nil): downstream.linkAndComplete()
        case .some(let error?): downstream.linkAndFail(error)
        }
    }
}

extension PublishSubject: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { core.pauses(source) }
}
