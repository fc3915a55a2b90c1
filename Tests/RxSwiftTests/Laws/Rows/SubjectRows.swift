import RxSwift

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
        _ name: String, _ variant: String = "", keeps: Keeps, _ make: @escaping @Sendable () -> Subject
    ) -> Row where Subject.Element == Int, Subject.Observer.Element == Int {
        // `create`, the subject, the subscription between.
        Row(name, variant, keeps: keeps, weight: 3) { source, probe in
            .create { observer in
                probe.note("subscribe")
                let subject = make()
                let subscription = subject.subscribe(observer)
                return Disposables.create(subscription, source.subscribe(subject.asObserver()))
            }
        }
    }
}
