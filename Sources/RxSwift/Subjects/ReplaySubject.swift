// SPDX-License-Identifier: Apache-2.0

/// Passes each event it receives to all current subscribers, and replays to each new subscriber the elements it received before.
///
/// A new subscriber gets the remembered elements inside `subscribe`, and the later events after that; one that comes after the
/// terminal event gets the remembered elements and the terminal event.
/// Events may come from any thread and from inside a callback: each subscriber gets them one at a time, in order of
/// acceptance, the subscribers of one event in order of subscription.
/// - SeeAlso: [Subject](https://reactivex.io/documentation/subject.html)
public class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType, Disposable, @unchecked Sendable {
    /// The type of the subject as an observer.
    public typealias SubjectObserverType = ReplaySubject<Element>

    @usableFromInline final let core: ReplayCore<Element>

    init(core: ReplayCore<Element>) {
        self.core = core
        super.init()
    }

    deinit {
        // A subscription that is not disposed of holds the core, and must not hold the remembered elements.
        core.forget()
    }

    /// A subject that repeats its last elements.
    ///
    /// - Parameter bufferSize: how many elements to remember, at most; not negative. A new subscriber costs O(bufferSize), on its
    ///   own thread: a thread that emits meanwhile waits for the time of 128 elements at most.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        if bufferSize < 0 {
            fatalError("swift-rx: ReplaySubject.create: bufferSize is \(bufferSize), it must not be negative")
        }
        return ReplaySubject(core: ReplayRing.remembering(name: "ReplaySubject", bound: bufferSize, policy: .always))
    }

    /// A subject that repeats all its elements, and so holds them as long as it lives.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(core: ReplayLog(name: "ReplaySubject"))
    }

    /// True if there is a subscription. If so, every event sent from then on reaches it, also a subscription of another thread.
    public final var hasObservers: Bool { core.hasObservers }

    /// Passes one event to all subscribers, and remembers it.
    ///
    /// Delivers on the calling thread. If another thread (or a callback further up) is delivering, that drainer delivers instead.
    @inlinable
    public final func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.accept(element)
        case .error(let error): core.end(.error(error))
        case .completed: core.end(.completed)
        }
    }

    /// Returns the subject as an observer.
    public final func asObserver() -> ReplaySubject<Element> { self }

    /// Drops all subscribers without an event, and the remembered elements.
    ///
    /// Later subscribers get the error `RxError.disposed`. Events that were accepted before are still delivered: inside a callback of this
    /// subject, those that the callback has sent.
    public final func dispose() {
        core.forget()
    }

    package override var startsOnTrampoline: Bool { false }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        core.admit(SubjectSubscription(core: core, downstream: downstream), downstream, subject: self)
    }
}

extension ReplaySubject: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { core.pauses(source) }
}
