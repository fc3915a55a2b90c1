// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// The pauses between attempts: each is twice as long as the one before, up to a limit.
public struct Backoff: Sendable {
    public var first: Duration
    public var longest: Duration
    public var attempts: Int

    /// - Parameter attempts: the number of attempts in all, at least 1.
    public init(first: Duration, longest: Duration, attempts: Int) {
        self.first = first
        self.longest = longest
        self.attempts = attempts
    }

    /// The pause behind an attempt, counted from 0; nil behind the last one.
    public func pause(behind attempt: Int) -> Duration? {
        attempt + 1 < attempts ? min(longest, first * (1 << min(attempt, 30))) : nil
    }
}

extension ObservableType {
    /// Subscribes anew after a failure and a pause. Fails with the error of the last attempt.
    public func retry(_ backoff: Backoff, scheduler: any SchedulerType) -> Observable<Element> {
        retry(when: { (errors: Observable<any Error>) in
            errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                guard let pause = backoff.pause(behind: attempt) else { return .error(error) }
                return .timer(.milliseconds(Int(pause / .milliseconds(1))), scheduler: scheduler)
            }
        })
    }
}
