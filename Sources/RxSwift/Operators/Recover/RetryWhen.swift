// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Subscribes anew after an error when a notifier sends an element.
    ///
    /// - Parameter notificationHandler: receives the errors of this sequence, once per subscription and before the source is
    ///   subscribed to, and returns the notifier. An element of the notifier after an error starts a new attempt, on the thread
    ///   that emits it; more than one per error, or one while the source is running, has no effect. When the notifier has ended,
    ///   the next error ends the result in the notifier's way, with `completed` or its error; at once if no attempt has begun since the last one.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @preconcurrency
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(source: asObservable(), cast: { $0 }, notificationHandler: notificationHandler)
    }

    /// Subscribes anew after an error of one type when a notifier sends an element. Errors of other types end the result.
    ///
    /// - Parameter notificationHandler: receives the errors of this sequence, once per subscription and before the source is
    ///   subscribed to, and returns the notifier. An element of the notifier after an error starts a new attempt, on the thread
    ///   that emits it; more than one per error, or one while the source is running, has no effect. When the notifier has ended,
    ///   the next error ends the result in the notifier's way, with `completed` or its error; at once if no attempt has begun since the last one.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @preconcurrency
    public func retry<TriggerObservable: ObservableType, Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> Observable<Element> {
        RetryWhen(source: asObservable(), cast: { $0 as? Error }, notificationHandler: notificationHandler)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<TriggerObservable: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<TriggerObservable: ObservableType, Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }
}

final class RetryWhen<Element, Trigger: ObservableType, Failure>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    private let cast: (any Swift.Error) -> Failure?
    private let notificationHandler: (Observable<Failure>) -> Trigger

    /// - Parameter cast: returns nil for an error that does not concern the notifier.
    init(
        source: Observable<Element>, cast: @escaping (any Swift.Error) -> Failure?,
        notificationHandler: @escaping (Observable<Failure>) -> Trigger
    ) {
        self.source = source
        self.cast = cast
        self.notificationHandler = notificationHandler
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let errors = PublishSubject<Failure>()
        let sink = RetryWhenSink(source: source, cast: cast, errors: errors, downstream: downstream)
        downstream.link(sink)
        let notifier = notificationHandler(errors).asObservable()
        notifier.start(RetryNotifierSink<Trigger.Element, Element, Failure>(retry: sink))
        sink.notifierSubscribed()
        sink.begin()
        sink.didSubscribe()
    }
}

/// Decides, on any thread, whether the source or the notifier may send events.
///
/// The source's events are passed on only while it is running, the notifier's only from an error until the next attempt begins. So
/// the two never meet downstream, and need no queue.
struct RetryJob: ~Copyable {
    private let state = AtomicWord(0)

    /// The bit that the source sets when it has failed; cleared when the next attempt begins.
    private static let failed: UInt = 1
    /// The bit that is set when the notifier has ended; never cleared.
    private static let notifierEnded: UInt = 2
    /// The bit that the notifier sets when it has answered the error; cleared when the next attempt begins.
    private static let answered: UInt = 4

    /// Notes that the source has failed. Returns whether the notifier has ended already, so that the result ends now.
    func sourceFailed() -> Bool {
        // Releasing: paired with the acquire in `retries` and `notifierEnds`. Acquiring: sees how the notifier ended.
        state.fetchAdd(RetryJob.failed) & RetryJob.notifierEnded != 0
    }

    /// True from an error of the source until the notifier has answered it. Only the notifier's thread asks, whose answer ends this.
    var awaitsAnswer: Bool { state.loadRelaxed() == RetryJob.failed }

    /// Handles an element of the notifier. Returns whether it is the answer to an error, on which the caller acts.
    func retries() -> Bool {
        state.compareExchange(RetryJob.failed, RetryJob.failed | RetryJob.answered)
    }

    /// Begins an attempt, or returns false if the notifier has ended since it answered, and with it the result.
    func begins() -> Bool {
        while true {
            let before = state.loadRelaxed()
            if before & RetryJob.failed == 0 { return true }
            if before & RetryJob.notifierEnded != 0 { return false }
            if state.compareExchange(before, 0) { return true }
        }
    }

    /// Notes that the notifier has ended. Returns whether the source has failed and no attempt has begun since, so that the result
    /// ends now.
    func notifierEnds() -> Bool {
        state.fetchAdd(RetryJob.notifierEnded) & RetryJob.failed != 0
    }
}

/// Receives the source's events, attempt after attempt.
final class RetryWhenSink<Element, Failure>: ResubscribingSink<Element> {
    private let source: Observable<Element>
    private let cast: (any Swift.Error) -> Failure?
    private let errors: PublishSubject<Failure>
    private let downstream: Sink<Element>

    private let job = RetryJob()

    private let subscribePhase = SubscribePhase(begun: true)
    /// True once the notifier was subscribed to. Only the subscribing thread touches it.
    private var isNotifierSubscribed = false

    /// The subscription to the notifier.
    fileprivate let notifier = UpstreamLink()

    /// The error that the notifier ended with, or nil for `completed`. Written once, before `job` is told.
    private var notifierError: (any Swift.Error)?

    init(
        source: Observable<Element>, cast: @escaping (any Swift.Error) -> Failure?, errors: PublishSubject<Failure>,
        downstream: Sink<Element>
    ) {
        self.source = source
        self.cast = cast
        self.errors = errors
        self.downstream = downstream
        super.init()
    }

    func notifierSubscribed() { isNotifierSubscribed = true }

    override func next(_ element: Element) { downstream.next(element) }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed(then after: () -> Void) {
        end({ downstream.completed() }, then: after)
    }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        guard let failure = cast(error) else { return end({ downstream.error(error) }, then: after) }
        guard isSubscribing else {
            endSource()
            sourceFailed(failure)
            return after()
        }
        // Inside its own subscription the source is cancelled after the notifier has acted on the error (law L11).
        let source = unlinkSource()
        source?.quiesceChain()
        sourceFailed(failure)
        after()
        source?.cancel()
    }

    private func sourceFailed(_ failure: Failure) {
        if job.sourceFailed() {
            endAsNotifierDid()
        } else if !isCancelled {
            // Errors that arise while the subject is delivering one wait there, so there is no recursion, however often the source
            // fails at once.
            errors.onNext(failure)
        }
    }

    override func nextSource() -> Observable<Element>? { job.begins() ? source : nil }

    override func exhausted() {}

    override func forEachFurtherLink(_ body: (Stage) -> Void) { body(notifier) }

    override func quiesceBoundary() -> UInt {
        notifier.quiesceUpstream()
        return super.quiesceBoundary()
    }

    func didSubscribe() {
        if subscribePhase.end() { notifier.cancel() }
    }

    override func cancel() {
        super.cancel()
        if subscribePhase.isOnStack, isNotifierSubscribed, subscribePhase.postpones() {
            return notifier.quiesceUpstream()
        }
        if !subscribePhase.hasPostponed { notifier.cancel() }
    }

    /// Notes that the notifier's source goes on, without an answer. Of the source's thread nothing comes meanwhile.
    fileprivate func notifierGoesOn() {
        if job.awaitsAnswer || subscribePhase.isOnStack && !isNotifierSubscribed { downstream.upstreamGoesOn() }
    }

    fileprivate func notifierSent() {
        if job.retries() { advance() }
    }

    /// - Parameter after: runs the closures that `do` runs after the event.
    fileprivate func notifierEnded(with error: (any Swift.Error)?, then after: () -> Void) {
        notifierError = error
        if job.notifierEnds() { endAsNotifierDid() }
        after()
        notifier.cancel()
    }

    private func endAsNotifierDid() {
        if isCancelled { return }
        if let notifierError {
            downstream.error(notifierError)
        } else {
            downstream.completed()
        }
        cancel()
    }
}

/// Receives the notifier's events.
final class RetryNotifierSink<Signal, Element, Failure>: Sink<Signal> {
    private let retry: RetryWhenSink<Element, Failure>

    init(retry: RetryWhenSink<Element, Failure>) {
        self.retry = retry
        super.init()
    }

    override func link(_ stage: Stage) { retry.notifier.link(stage) }

    override func next(_ element: Signal) { retry.notifierSent() }

    override func upstreamGoesOn() { retry.notifierGoesOn() }

    override func error(_ error: any Swift.Error) { self.error(error, then: {}) }

    override func completed() { completed(then: {}) }

    override func error(_ error: any Swift.Error, then after: () -> Void) {
        retry.notifierEnded(with: error, then: after)
    }

    override func completed(then after: () -> Void) { retry.notifierEnded(with: nil, then: after) }
}
