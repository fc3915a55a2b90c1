// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequence {
    /// Continues with another sequence of the same trait when this one fails.
    ///
    /// - Parameter handler: makes the sequence to continue with, on the thread on which the error arrives; an error it throws ends the
    ///   result with that error, and so does an error of the sequence it made.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @preconcurrency @inlinable
    public func `catch`(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// The former name of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency @inlinable
    public func catchError(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        `catch`(handler)
    }

    /// Subscribes anew when this sequence fails, a limited number of times.
    ///
    /// Stack and memory do not grow with the number of attempts.
    /// - Parameter maxAttemptCount: how many times to subscribe at most, the first time included. Must not be negative. With 0 the
    ///   result completes at once, which a `Single` tells its subscriber as `RxError.noElements`. The error of the last attempt
    ///   ends the result.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(maxAttemptCount))
    }

    /// Subscribes anew after an error when a notifier sends an element.
    ///
    /// - Parameter notificationHandler: receives the errors of this sequence, once per subscription and before the source is
    ///   subscribed to, and returns the notifier. An element of it after an error means: subscribe anew, on the thread that emits it;
    ///   more than one per error, or one while the source is running, means nothing. When the notifier has ended, the next error ends
    ///   the result in the notifier's way, with its error or with `completed`, which a `Single` tells its subscriber as
    ///   `RxError.noElements`.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @preconcurrency
    public func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Subscribes anew after an error of one type when a notifier sends an element. Errors of other types end the result.
    ///
    /// - Parameter notificationHandler: receives the errors of this sequence, once per subscription and before the source is
    ///   subscribed to, and returns the notifier. An element of it after an error means: subscribe anew, on the thread that emits it;
    ///   more than one per error, or one while the source is running, means nothing. When the notifier has ended, the next error ends
    ///   the result in the notifier's way, with its error or with `completed`, which a `Single` tells its subscriber as
    ///   `RxError.noElements`.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @preconcurrency
    public func retry<TriggerObservable: ObservableType, Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<TriggerObservable: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// The former name of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<TriggerObservable: ObservableType, Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }
}
