// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// Subjects between a source and the observer.
    static let subjectRows: [Row] = [
        through("PublishSubject", keeps: .everything) { PublishSubject() },
        through("BehaviorSubject", keeps: .nothing) { BehaviorSubject(value: 0) },
        through("ReplaySubject", "1", keeps: .everything) { ReplaySubject.create(bufferSize: 1) },
        through("ReplaySubject", "3", keeps: .everything) { ReplaySubject.create(bufferSize: 3) },
        through("ReplaySubject", "unbounded", keeps: .everything) { ReplaySubject.createUnbounded() },
        through("AsyncSubject", keeps: .some) { AsyncSubject() },
    ]

    private static func through<Subject: SubjectType>(
        _ name: String, _ variant: String = "", keeps: Keeps,
        _ make: @escaping @Sendable () -> Subject
    ) -> Row where Subject.Element == Int, Subject.Observer.Element == Int {
        // `create` and the subject.
        Row(name, variant, keeps: keeps, weight: 2) { source, probe in
            .create { observer in
                let (subject, subscription) = subscribed(make, observer, probe)
                return Disposables.create(subscription, source.subscribe(subject.asObserver()))
            }
        }
    }

    /// Not inlined: in a chain of 20,000, the variables of the closure above take stack as often (law L8).
    @inline(never)
    private static func subscribed<Subject: SubjectType>(
        _ make: () -> Subject, _ observer: AnyObserver<Int>, _ probe: Probe
    ) -> (Subject, any Disposable) where Subject.Element == Int {
        probe.note("subscribe")
        let subject = make()
        return (subject, subject.subscribe(observer))
    }
}
