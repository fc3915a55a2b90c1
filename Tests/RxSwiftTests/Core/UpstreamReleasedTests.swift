import RxSwift
import TestSupport
import Testing

/// Chains whose subject has been released without a terminal event, so that no caller can emit.
@Suite struct UpstreamReleasedTests {
    private static let operators: [(name: String, build: (Observable<ReleaseToken>) -> Observable<Any>)] = [
        ("map", { $0.map { $0 } }),
        ("asSingle", { $0.asSingle().asObservable().map { $0 } }),
        ("asMaybe", { $0.asMaybe().asObservable().map { $0 } }),
        ("first", { $0.first().asObservable().map { $0 as Any } }),
        ("ignoreElements", { $0.ignoreElements().map { $0 } }),
        ("ifEmpty(default:)", { $0.ifEmpty(default: ReleaseToken()).map { $0 } }),
        ("catchAndReturn", { $0.catchAndReturn(ReleaseToken()).map { $0 } }),
        ("takeLast", { $0.takeLast(2).map { $0 } }),
        ("element(at:)", { $0.element(at: 3).map { $0 } }),
        ("single", { $0.single().map { $0 } }),
        ("materialize", { $0.materialize().map { $0 } }),
    ]

    @Test("A chain releases its observer when its subject is gone", arguments: operators.indices)
    func releasedObserver(index: Int) {
        let (name, build) = Self.operators[index]
        var isReleased = false
        do {
            let subject = PublishSubject<ReleaseToken>()
            let token = ReleaseToken(onRelease: { isReleased = true })
            _ = build(subject).subscribe(onNext: { _ in _ = token })
        }
        #expect(isReleased, "\(name) keeps the observer")
    }
}
