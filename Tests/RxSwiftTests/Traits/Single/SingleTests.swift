// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SingleTests {
    private func results<Element>(_ single: Single<Element>) -> [String] {
        var log: [String] = []
        _ = single.subscribe(
            onSuccess: { log.append("success \($0)") }, onFailure: { log.append("failure \($0)") },
            onDisposed: { log.append("disposed") })
        return log
    }

    @Test("A subscriber receives the outcome and its end") func outcomes() {
        #expect(results(Single.just(1)) == ["success 1", "disposed"])
        #expect(results(Single<Int>.error(Failure.expected)) == ["failure expected", "disposed"])
        #expect(results(Single<Int>.never()) == [])
        #expect(results(sequence(1, 2).toArray()) == ["success [1, 2]", "disposed"])
    }

    @Test("Only the first outcome counts") func firstOutcome() {
        var log: [String] = []
        let create = Single<Int>.create { observer in
            observer(.success(1))
            observer(.success(2))
            observer(.failure(Failure.other))
            return Disposables.create { log.append("disposed") }
        }
        _ = create.subscribe { result in log.append("\(result)") }
        #expect(log == ["success(1)", "disposed"])
        let failing = Single<Int>.create { observer in
            observer(.failure(Failure.expected))
            return Disposables.create()
        }
        #expect(results(failing) == ["failure expected", "disposed"])
    }

    @Test("dispose ends the work") func disposeEndsWork() {
        var log: [String] = []
        let single = Single<Int>.create { _ in Disposables.create { log.append("work") } }
        single.subscribe(onDisposed: { log.append("disposed") }).dispose()
        #expect(log == ["work", "disposed"])
    }

    @Test("Each operator sends the expected events") func operators() {
        #expect(results(Single.just(1).map { $0 + 1 }) == ["success 2", "disposed"])
        #expect(results(Single.just(1).map { _ -> Int in throw Failure.other }) == ["failure other", "disposed"])
        #expect(results(Single.just(1).flatMap { .just("\($0)") }) == ["success 1", "disposed"])
        #expect(events(of: Single.just(1).filter { $0 > 1 }.asObservable()) == ["completed"])
        #expect(events(of: Single.just("1").compactMap { Int($0) }.asObservable()) == ["1", "completed"])
        #expect(events(of: Single.just(1).asCompletable().asObservable()) == ["completed"])
        #expect(events(of: Single.just(1).asMaybe().asObservable()) == ["1", "completed"])
    }

    @Test("do runs its closures") func doClosures() {
        var log: [String] = []
        let single = Single.just(1).do(
            onSuccess: { log.append("onSuccess \($0)") }, afterSuccess: { log.append("afterSuccess \($0)") },
            onSubscribe: { log.append("onSubscribe") }, onSubscribed: { log.append("onSubscribed") },
            onDispose: { log.append("onDispose") })
        _ = single.subscribe(onSuccess: { log.append("success \($0)") })
        #expect(log == ["onSubscribe", "onSuccess 1", "success 1", "afterSuccess 1", "onSubscribed", "onDispose"])
    }

    @Test("subscribe(with:) does not retain the object") func weakObject() {
        final class Object {}
        var object: Object? = Object()
        var successes = 0
        let subject = PublishSubject<Int>()
        _ = subject.asSingle().subscribe(with: object!, onSuccess: { _, _ in successes += 1 })
        object = nil
        subject.onNext(1)
        subject.onCompleted()
        #expect(successes == 0)
    }

    @Test("zip waits for all singles of a collection") func zipOfCollection() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = EventLog(Single.zip([first.asSingle(), second.asSingle()]).asObservable())
        second.onNext(2)
        second.onCompleted()
        #expect(log.lines == [] && first.hasObservers)
        first.onNext(1)
        first.onCompleted()
        #expect(log.lines == ["[1, 2]", "completed"])
    }

    @Test("zip fails with the first error") func zipError() {
        let waiting = PublishSubject<Int>()
        let failing = PublishSubject<Int>()
        let log = EventLog(Single.zip([waiting.asSingle(), failing.asSingle()]).asObservable())
        failing.onError(Failure.expected)
        #expect(log.lines == ["error(expected)"])
        #expect(!waiting.hasObservers)
        let throwing = Single.zip([Single.just(1)]) { _ -> Int in throw Failure.other }
        #expect(events(of: throwing.asObservable()) == ["error(other)"])
    }

    @Test("zip of no singles has an element") func zipOfNone() {
        let none: [Single<Int>] = []
        #expect(events(of: Single.zip(none).asObservable()) == ["[]", "completed"])
        let selected = Single.zip(none) { $0.count }
        #expect(events(of: selected.asObservable()) == ["0", "completed"])
        let throwing = Single.zip(none) { _ -> Int in throw Failure.expected }
        #expect(events(of: throwing.asObservable()) == ["error(expected)"])
    }

    @Test("flatMap leads into the other traits") func flatMapIntoTraits() {
        #expect(events(of: Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }.asObservable()) == ["completed"])
        let completable = Single.just(1).flatMapCompletable { _ in .error(Failure.expected) }
        #expect(events(of: completable.asObservable()) == ["error(expected)"])
        let throwing = Single.just(1).flatMap { _ -> Single<Int> in throw Failure.other }
        #expect(events(of: throwing.asObservable()) == ["error(other)"])
    }
}
