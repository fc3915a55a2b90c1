// SPDX-License-Identifier: Apache-2.0

import Dispatch
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
        ("scan", { $0.scan(0) { count, _ in count + 1 }.map { $0 } }),
        ("scan(into:)", { $0.scan(into: 0) { count, _ in count += 1 }.map { $0 } }),
        ("reduce", { $0.reduce(0) { count, _ in count + 1 }.map { $0 } }),
        ("toArray", { $0.toArray().asObservable().map { $0 } }),
        ("do(onNext:)", { $0.do(onNext: { _ in }).map { $0 } }),
        ("do(onCompleted:)", { $0.do(onCompleted: {}).map { $0 } }),
        (
            "throttle without the latest",
            { $0.throttle(.seconds(9), latest: false, scheduler: MainScheduler.instance).map { $0 } }
        ),
        ("distinctUntilChanged by key", { $0.distinctUntilChanged(ObjectIdentifier.init).map { $0 } }),
        ("skip", { $0.skip(1).map { $0 } }),
        ("skip(while:)", { $0.skip(while: { _ in true }).map { $0 } }),
        ("take", { $0.take(3).map { $0 } }),
        ("take(while:)", { $0.take(while: { _ in true }).map { $0 } }),
        ("enumerated", { $0.enumerated().map { $0 } }),
        ("startWith", { $0.startWith(ReleaseToken()).map { $0 } }),
        ("compactMap", { $0.compactMap { Optional($0) }.map { $0 } }),
        ("withUnretained", { $0.withUnretained(Process.shared).map { $0.1 } }),
    ]

    private final class Process: Sendable {
        static let shared = Process()
    }

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

    /// The fault: the subscription kept itself.
    @Test("A closure of the main queue is released behind the events that hop there") func hoppingEvents() {
        let (gate, blocked, released) = (OneShot(), OneShot(), OneShot())
        DispatchQueue.main.async {
            blocked.fire()
            _ = gate.wait(seconds: 10)
        }
        #expect(blocked.wait(seconds: 10))
        let received = AtomicCounter(0)
        do {
            let subject = PublishSubject<Int>()
            let token = ReleaseToken(onRelease: { released.fire() })
            _ = MainQueueDelivery(source: subject).subscribe(onNext: { _ in
                received.increment()
                withExtendedLifetime(token) {}
            })
            subject.onNext(1)
        }
        #expect(received.value == 0)
        gate.fire()
        #expect(released.wait(seconds: 10))
        #expect(received.value == 1)
    }
}
