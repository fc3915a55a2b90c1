// SPDX-License-Identifier: Apache-2.0

import RxSwift

func singles(_ single: Single<Int>, _ text: Single<String>, bag: DisposeBag) {
    single.subscribe(onSuccess: { print($0) }).disposed(by: bag)
    single.subscribe(onSuccess: { print($0) }, onFailure: { print($0) }).disposed(by: bag)
    single.subscribe { result in
        switch result {
        case .success(let number): print(number)
        case .failure(let error): print(error)
        }
    }.disposed(by: bag)
    single.map { $0 + 1 }.map(\.description).subscribe().disposed(by: bag)
    single.flatMap { Single.just("\($0)") }.subscribe().disposed(by: bag)
    single.flatMap { .just("\($0)") }.subscribe(onSuccess: { (text: String) in print(text) }).disposed(by: bag)
    single.flatMap(Single.just).subscribe().disposed(by: bag)
    single.flatMapMaybe { Maybe.just($0) }.subscribe().disposed(by: bag)
    single.flatMapCompletable { _ in Completable.empty() }.subscribe().disposed(by: bag)
    single.map(Result<Int, Error>.success).catch { .just(.failure($0)) }.subscribe().disposed(by: bag)
    single.catch { _ in .just(1) }.subscribe().disposed(by: bag)
    single.catchAndReturn(1).retry(2).subscribe().disposed(by: bag)
    single.asObservable().asSingle().asMaybe().subscribe().disposed(by: bag)
    single.asCompletable().subscribe(onCompleted: { print("done") }).disposed(by: bag)
    single.do(onSuccess: { print($0) }, onError: { print($0) }).subscribe().disposed(by: bag)
    single.delay(.seconds(1), scheduler: MainScheduler.instance).timeout(.seconds(2), scheduler: MainScheduler.instance)
        .observe(on: MainScheduler.instance).subscribe().disposed(by: bag)
    Single.zip(single, text).subscribe(onSuccess: { number, text in print(number, text) }).disposed(by: bag)
    Single.zip(single, text) { "\($0) \($1)" }.subscribe().disposed(by: bag)
    Single.zip(single, single, resultSelector: +).subscribe().disposed(by: bag)
    Single.zip(single, text, single) { number, text, other in text + "\(number + other)" }.subscribe().disposed(by: bag)
    Single.zip(single, text, single, text).map { $0.3 }.subscribe().disposed(by: bag)
    Single.zip(single, text, single, text, single) { a, b, c, d, e in a + c + e }.subscribe().disposed(by: bag)
    Single.zip(single, text, single, text, single, text) { a, b, c, d, e, f in f }.subscribe().disposed(by: bag)
    Single.zip(single, text, single, text, single, text, single).map { $0.6 }.subscribe().disposed(by: bag)
    Single.zip(single, text, single, text, single, text, single, text) { a, b, c, d, e, f, g, h in h }
        .subscribe().disposed(by: bag)
    Single.zip([single, single]).map { $0.reduce(0, +) }.subscribe().disposed(by: bag)
    Single.zip([single, single]) { $0.count }.subscribe().disposed(by: bag)
    Single<Int>.create { observer in
        observer(.success(1))
        return Disposables.create()
    }.subscribe().disposed(by: bag)
    let request: Single<String> = .create { observer in
        observer(.failure(MyError.bad))
        return Disposables.create { print("cancelled") }
    }
    request.subscribe(with: bag, onSuccess: { bag, text in print(bag, text) }).disposed(by: bag)
    Single.deferred { single }.subscribe().disposed(by: bag)
    Single<Int>.error(MyError.bad).subscribe(onFailure: { print($0) }).disposed(by: bag)
}

func maybes(_ maybe: Maybe<Int>, _ text: Maybe<String>, bag: DisposeBag) {
    maybe.subscribe(onSuccess: { print($0) }, onError: { print($0) }, onCompleted: {}).disposed(by: bag)
    maybe.subscribe { event in
        switch event {
        case .success(let number): print(number)
        case .error(let error): print(error)
        case .completed: print("none")
        }
    }.disposed(by: bag)
    maybe.map { $0 + 1 }.filter { $0 > 1 }.compactMap { Optional($0) }.subscribe().disposed(by: bag)
    maybe.flatMap { Maybe.just("\($0)") }.ifEmpty(default: "none").subscribe().disposed(by: bag)
    maybe.ifEmpty(switchTo: Single.just(1)).subscribe().disposed(by: bag)
    maybe.ifEmpty(switchTo: Maybe.just(1)).subscribe().disposed(by: bag)
    maybe.catch { _ in .empty() }.subscribe().disposed(by: bag)
    Maybe.zip(maybe, text).subscribe(onSuccess: { print($0, $1) }).disposed(by: bag)
    Maybe.zip(maybe, text) { number, text in "\(number)\(text)" }.subscribe().disposed(by: bag)
    Maybe<Int>.create { observer in
        observer(.completed)
        return Disposables.create()
    }.asObservable().subscribe().disposed(by: bag)
}

func completables(_ save: Completable, _ single: Single<Int>, bag: DisposeBag) {
    save.subscribe(onCompleted: { print("saved") }, onError: { print($0) }).disposed(by: bag)
    save.subscribe { event in
        switch event {
        case .completed: print("saved")
        case .error(let error): print(error)
        }
    }.disposed(by: bag)
    save.andThen(single).map { $0 + 1 }.subscribe().disposed(by: bag)
    save.andThen(Observable.of(1, 2)).subscribe(onNext: { print($0) }).disposed(by: bag)
    save.andThen(Completable.empty()).andThen(.empty()).subscribe().disposed(by: bag)
    save.andThen(Maybe.just(1)).subscribe().disposed(by: bag)
    save.concat(save).subscribe().disposed(by: bag)
    Completable.zip(save, save).subscribe().disposed(by: bag)
    Completable.zip([save, save]).subscribe().disposed(by: bag)
    Completable.concat(save, save).subscribe().disposed(by: bag)
    Completable.concat([save, save]).subscribe().disposed(by: bag)
    Completable.create { observer in
        observer(.completed)
        return Disposables.create {}
    }.subscribe().disposed(by: bag)
    save.asObservable().map { _ in 1 }.subscribe().disposed(by: bag)
    Observable.of(1, 2).flatMap { _ in save }.subscribe().disposed(by: bag)
    Observable.of(1, 2).concatMap { _ in save.andThen(single) }.subscribe().disposed(by: bag)
    Observable.of(1, 2).ignoreElements().asCompletable().subscribe().disposed(by: bag)
}

func infallibles(_ numbers: Infallible<Int>, _ texts: Infallible<String>, bag: DisposeBag) {
    numbers.subscribe(onNext: { print($0) }).disposed(by: bag)
    numbers.subscribe { event in
        switch event {
        case .next(let number): print(number)
        case .completed: print("completed")
        }
    }.disposed(by: bag)
    numbers.map { $0 + 1 }.filter { $0 > 1 }.map(\.description).subscribe().disposed(by: bag)
    numbers.flatMapLatest { Infallible.just($0) }.subscribe().disposed(by: bag)
    numbers.flatMap { number in texts.map { "\(number) \($0)" } }.subscribe().disposed(by: bag)
    numbers.withLatestFrom(texts) { "\($0) \($1)" }.distinctUntilChanged().subscribe().disposed(by: bag)
    numbers.scan(0, accumulator: { $0 + $1 }).startWith(0).share(replay: 1).subscribe().disposed(by: bag)
    Infallible.combineLatest(numbers, texts).subscribe(onNext: { print($0, $1) }).disposed(by: bag)
    Infallible.combineLatest(numbers, texts) { "\($0) \($1)" }.subscribe().disposed(by: bag)
    Infallible.combineLatest(numbers, texts, numbers) { a, b, c in b + "\(a + c)" }.subscribe().disposed(by: bag)
    Infallible.combineLatest([numbers, numbers]).subscribe().disposed(by: bag)
    Infallible.zip(numbers, texts) { "\($0) \($1)" }.subscribe().disposed(by: bag)
    Infallible.merge(numbers, numbers).subscribe().disposed(by: bag)
    Infallible.concat(numbers, numbers).subscribe().disposed(by: bag)
    Infallible.of(1, 2, 3).subscribe(with: bag, onNext: { bag, number in print(bag, number) }).disposed(by: bag)
    Infallible<Int>.create { observer in
        observer(.next(1))
        observer(.completed)
        return Disposables.create()
    }.subscribe().disposed(by: bag)
    Observable.of(1, 2).asInfallible(onErrorJustReturn: 0).subscribe().disposed(by: bag)
    Observable.of(1, 2).flatMapLatest { Infallible.just($0) }.subscribe(onNext: { print($0) }).disposed(by: bag)
    Observable.of(1, 2).withLatestFrom(numbers).subscribe().disposed(by: bag)
}

func awaiting(_ numbers: Observable<Int>, _ single: Single<Int>, _ save: Completable, _ never: Infallible<Int>)
    async throws
{
    for try await number in numbers.values { print(number) }
    for await number in never.values { print(number) }
    let value = try await single.value
    try await save.value
    let found: Int? = try await single.asMaybe().value
    print(value, found ?? 0)
    let bag = DisposeBag()
    Single<Int>.create { 1 }.subscribe().disposed(by: bag)
    AsyncStream<Int> { $0.finish() }.asObservable().subscribe().disposed(by: bag)
}
