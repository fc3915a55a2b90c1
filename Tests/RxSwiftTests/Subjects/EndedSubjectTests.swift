// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Subscriptions to a subject that has ended, made while it tells its observers so.
@Suite struct EndedSubjectTests {
    enum Kind: CaseIterable, Sendable {
        case publish, behavior, replay, async, shared, merged

        /// A sequence, and what ends it with an error.
        func make() -> (sequence: Observable<Int>, fail: () -> Void) {
            let subject = PublishSubject<Int>()
            func fail() { subject.onError(Failure()) }
            switch self {
            case .publish: return (subject, fail)
            case .behavior:
                let subject = BehaviorSubject(value: 1)
                return (subject, { subject.onError(Failure()) })
            case .replay:
                let subject = ReplaySubject<Int>.create(bufferSize: 2)
                return (subject, { subject.onError(Failure()) })
            case .async:
                let subject = AsyncSubject<Int>()
                return (subject, { subject.onError(Failure()) })
            case .shared: return (subject.share(), fail)
            case .merged: return (Observable.merge(subject, .never()), fail)
            }
        }
    }

    struct Failure: Error {}

    /// The fault: each attempt left a command with the subject, which was busy as long as there were attempts: 145 bytes.
    @Test(
        "A subject that has failed is tried again and again in bounded memory", .disabled(if: hasSanitizer),
        arguments: Kind.allCases)
    func retry(_ kind: Kind) {
        let (sequence, fail) = kind.make()
        let attempts = 100_000
        var count = 0
        var (before, after) = (0, 0)
        let repeated = Observable<Int>.deferred {
            count += 1
            if count == attempts / 10 { before = residentBytes() }
            if count == attempts { after = residentBytes() }
            return count < attempts ? sequence : .empty()
        }
        let subscription = repeated.retry().subscribe()
        fail()
        #expect(count == attempts)
        #expect(after - before < 4 << 20, "grew by \(after - before) bytes")
        subscription.dispose()
    }
}
