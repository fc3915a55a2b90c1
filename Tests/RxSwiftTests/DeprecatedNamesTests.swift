// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

/// Former names and their present equivalents.
@Suite struct DeprecatedNamesTests {
    private static let numbers: Observable<Int> = .of(1, 2, 3, 4)

    // A function that is deprecated itself may call others that are, without a warning.
    @available(*, deprecated)
    private static let forwards: [(String, Observable<Int>, Observable<Int>)] = [
        ("catchErrorJustReturn", failing(1).catchErrorJustReturn(9), failing(1).catchAndReturn(9)),
        ("catchError", failing(1).catchError { _ in .just(8) }, failing(1).catch { _ in .just(8) }),
        ("catchError(sequence)", .catchError([failing(1), .just(2)]), .catch(sequence: [failing(1), .just(2)])),
        ("skipWhile", numbers.skipWhile { $0 < 3 }, numbers.skip(while: { $0 < 3 })),
        ("skipUntil", numbers.skipUntil(Observable.just(1)), numbers.skip(until: Observable.just(1))),
        ("elementAt", numbers.elementAt(2), numbers.element(at: 2)),
        ("takeUntil", numbers.takeUntil(Observable<Int>.never()), numbers.take(until: Observable<Int>.never())),
        ("takeWhile", numbers.takeWhile { $0 < 3 }, numbers.take(while: { $0 < 3 })),
        (
            "takeUntil(behavior)", numbers.takeUntil(.inclusive) { $0 == 2 },
            numbers.take(until: { $0 == 2 }, behavior: .inclusive)
        ),
        (
            "retryWhen", failing(1).retryWhen { (errors: Observable<any Error>) in errors.take(1) },
            failing(1).retry(when: { (errors: Observable<any Error>) in errors.take(1) })
        ),
        (
            "retryWhen(typed)", failing(1).retryWhen { (errors: Observable<NumberedFailure>) in errors.take(1) },
            failing(1).retry(when: { (errors: Observable<NumberedFailure>) in errors.take(1) })
        ),
        (
            "observeOn", numbers.observeOn(CurrentThreadScheduler.instance),
            numbers.observe(on: CurrentThreadScheduler.instance)
        ),
        (
            "subscribeOn", numbers.subscribeOn(CurrentThreadScheduler.instance),
            numbers.subscribe(on: CurrentThreadScheduler.instance)
        ),
        ("Single.catchErrorJustReturn", single.catchErrorJustReturn(7).asObservable(), .just(7)),
        ("Single.catchError", single.catchError { _ in .just(6) }.asObservable(), .just(6)),
        ("Maybe.catchErrorJustReturn", single.asMaybe().catchErrorJustReturn(5).asObservable(), .just(5)),
        ("Single.observeOn", Single.just(4).observeOn(CurrentThreadScheduler.instance).asObservable(), .just(4)),
        ("Single.subscribeOn", Single.just(3).subscribeOn(CurrentThreadScheduler.instance).asObservable(), .just(3)),
        (
            "Single.retryWhen", single.retryWhen { (errors: Observable<any Error>) in errors.take(1) }.asObservable(),
            single.retry(when: { (errors: Observable<any Error>) in errors.take(1) }).asObservable()
        ),
        (
            "Single.retryWhen(typed)",
            single.retryWhen { (errors: Observable<NumberedFailure>) in errors.take(1) }.asObservable(),
            single.retry(when: { (errors: Observable<NumberedFailure>) in errors.take(1) }).asObservable()
        ),
    ]

    private static let single: Single<Int> = failing(with: 1).asSingle()

    @available(*, deprecated)
    @Test("A former name does the same as the present one", arguments: forwards.indices) func formerNames(index: Int) {
        let (name, former, present) = Self.forwards[index]
        #expect(events(of: former) == events(of: present), "\(name)")
    }

    @available(*, deprecated)
    @Test("The former take(_:scheduler:) ends after its duration") func takeForATime() throws {
        try expectMarbles(result: "^-0-1|", ticks: 5) {
            Observable<Int>.interval(.seconds(10), scheduler: $0).take(.seconds(25), scheduler: $0)
        }
    }

    @available(*, deprecated)
    @Test("The former label onError receives the failure of a Single") func formerErrorLabel() {
        let log = EventLog()
        _ = Self.single.subscribe(onSuccess: { log.note("\($0)") }, onError: { log.note("failed \($0)") })
        #expect(log.text == "failed 1")
    }
}
