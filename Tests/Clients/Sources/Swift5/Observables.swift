// SPDX-License-Identifier: Apache-2.0

import RxSwift

struct User: Equatable {
    var name: String
    var age: Int
    var address = Address()
}
struct Address: Equatable { var city = "" }
enum MyError: Error { case bad }

func closuresAndKeyPaths(_ users: Observable<User>, _ numbers: Observable<Int>, bag: DisposeBag) {
    users.map(\.name).subscribe(onNext: { print($0) }).disposed(by: bag)
    users.map { $0.age }.filter { $0 > 18 }.subscribe { print($0) }.disposed(by: bag)
    users.map(\.address.city).distinctUntilChanged().subscribe().disposed(by: bag)
    users.distinctUntilChanged(\.name).subscribe(onNext: { user in print(user) }).disposed(by: bag)
    users.distinctUntilChanged(at: \.address.city).subscribe().disposed(by: bag)
    users.distinctUntilChanged { $0.name }.subscribe().disposed(by: bag)
    users.distinctUntilChanged { $0.name == $1.name }.subscribe().disposed(by: bag)
    users.distinctUntilChanged({ $0.name }, comparer: { $0 == $1 }).subscribe().disposed(by: bag)
    numbers.flatMap(Observable.just).subscribe().disposed(by: bag)
    numbers.flatMap { Observable.just($0) }.subscribe().disposed(by: bag)
    numbers.concatMap(Observable.just).subscribe().disposed(by: bag)
    numbers.map(Result<Int, Error>.success).catch { .just(.failure($0)) }.subscribe().disposed(by: bag)
    numbers.map(String.init).subscribe(onNext: { print($0) }).disposed(by: bag)
    numbers.map(String.init(describing:)).subscribe().disposed(by: bag)
    numbers.scan(0, accumulator: +).subscribe().disposed(by: bag)
    numbers.reduce(0, accumulator: +).subscribe().disposed(by: bag)
    numbers.scan(into: []) { $0.append($1) }.subscribe(onNext: { (all: [Int]) in print(all) }).disposed(by: bag)
    numbers.buffer(timeSpan: .seconds(1), count: 2, scheduler: MainScheduler.instance)
        .filter { !$0.isEmpty }.subscribe(onNext: { print($0.count) }).disposed(by: bag)
    numbers.withLatestFrom(users).subscribe(onNext: { print($0.name) }).disposed(by: bag)
    numbers.withLatestFrom(users) { ($0, $1) }.subscribe(onNext: { n, user in print(n, user) }).disposed(by: bag)
    numbers.withLatestFrom(users, resultSelector: { n, user in "\(n) \(user)" }).subscribe().disposed(by: bag)
    numbers.take(until: users).subscribe().disposed(by: bag)
    numbers.take(until: { $0 > 3 }).subscribe().disposed(by: bag)
    numbers.take(until: { $0 > 3 }, behavior: .inclusive).subscribe().disposed(by: bag)
    numbers.take(while: { $0 < 3 }).skip(while: { $0 < 1 }).subscribe().disposed(by: bag)
    numbers.do(onNext: { print($0) }, onDispose: { print("disposed") }).subscribe().disposed(by: bag)
    numbers.do(onError: { error in print(error) }).subscribe(onError: { print($0) }).disposed(by: bag)
    numbers.materialize().dematerialize().subscribe().disposed(by: bag)
    numbers.groupBy { $0 % 2 }.flatMap { group in group.map { (group.key, $0) } }
        .subscribe(onNext: { key, n in print(key, n) }).disposed(by: bag)
    numbers.enumerated().map { index, n in index * n }.subscribe().disposed(by: bag)
    numbers.catch { _ in .empty() }.subscribe().disposed(by: bag)
    numbers.catch { error -> Observable<Int> in
        print(error)
        return .just(1)
    }.subscribe().disposed(by: bag)
    numbers.catchAndReturn(1).retry(3).subscribe().disposed(by: bag)
    numbers.retry(when: { errors in
        errors.enumerated().flatMap { attempt, error -> Observable<Int> in
            attempt < 3 ? Observable<Int>.timer(.seconds(attempt), scheduler: MainScheduler.instance) : .error(error)
        }
    }).subscribe().disposed(by: bag)
    numbers.multicast(PublishSubject()).refCount().subscribe().disposed(by: bag)
    numbers.multicast { PublishSubject() }.connect().disposed(by: bag)
    numbers.share(replay: 1).subscribe().disposed(by: bag)
    numbers.throttle(.milliseconds(300), scheduler: MainScheduler.instance).subscribe().disposed(by: bag)
    numbers.observe(on: MainScheduler.instance).subscribe(on: CurrentThreadScheduler.instance).subscribe().disposed(
        by: bag)
    numbers.ifEmpty(default: 1).subscribe().disposed(by: bag)
    numbers.startWith(1, 2).concat(Observable.of(1, 2)).subscribe().disposed(by: bag)
    numbers.compactMap { $0 > 1 ? "\($0)" : nil }.subscribe(onNext: { (s: String) in print(s) }).disposed(by: bag)
    numbers.toArray().subscribe(onSuccess: { print($0) }).disposed(by: bag)
    bag.insert(numbers.subscribe(), users.subscribe())
}

func creation(bag: DisposeBag) {
    let made = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.on(.next(2))
        observer.onCompleted()
        return Disposables.create()
    }
    let made2: Observable<String> = Observable.create { observer in
        observer.onError(MyError.bad)
        return Disposables.create { print("gone") }
    }
    var counter = 0
    let deferred = Observable.deferred { () -> Observable<Int> in
        counter += 1
        return .just(counter)
    }
    Observable.of(made, deferred).merge().subscribe().disposed(by: bag)
    Observable.merge(made, deferred).subscribe().disposed(by: bag)
    Observable.merge([made, deferred]).subscribe().disposed(by: bag)
    Observable.concat(made, deferred).subscribe().disposed(by: bag)
    Observable.from([1, 2, 3]).subscribe().disposed(by: bag)
    Observable.from(optional: 1 as Int?).subscribe().disposed(by: bag)
    Observable.range(start: 1, count: 3).subscribe().disposed(by: bag)
    Observable.generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 }).subscribe().disposed(by: bag)
    Observable<Int>.interval(.seconds(1), scheduler: MainScheduler.instance).take(1).subscribe().disposed(by: bag)
    Observable.repeatElement(1).take(2).subscribe().disposed(by: bag)
    Observable.using({ BooleanDisposable() }, observableFactory: { _ in Observable.just(1) }).subscribe().disposed(
        by: bag)
    Observable<Int>.error(MyError.bad).subscribe().disposed(by: bag)
    Observable<Int>.amb([made, .never()]).subscribe().disposed(by: bag)
    made2.subscribe(onNext: { print($0) }, onError: { print($0) }, onCompleted: {}, onDisposed: {}).disposed(by: bag)
    made2.subscribe { event in
        switch event {
        case .next(let text): print(text)
        case .error(let error): print(error)
        case .completed: print("completed")
        }
    }.disposed(by: bag)
}

func zips(_ a: Observable<Int>, _ b: Observable<String>, _ c: Observable<Bool>, bag: DisposeBag) {
    Observable.zip(a, b).subscribe(onNext: { n, s in print(n, s) }).disposed(by: bag)
    Observable.zip(a, b) { "\($0) \($1)" }.subscribe().disposed(by: bag)
    Observable.zip(a, a, resultSelector: +).subscribe().disposed(by: bag)
    Observable.zip(a, b, c).map { n, s, flag in flag ? s : "\(n)" }.subscribe().disposed(by: bag)
    Observable.zip(a, b, c, resultSelector: { n, s, flag in flag ? s : "\(n)" }).subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a).subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a) { n, s, f, m in "\(n)\(s)\(f)\(m)" }.subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b).subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b) { n, s, f, m, t in n + m }.subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b, c).subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b, c) { n, s, f, m, t, g in f && g }.subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b, c, a).subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b, c, a) { n, s, f, m, t, g, o in n + m + o }.subscribe().disposed(by: bag)
    Observable.zip(a, b, c, a, b, c, a, b).subscribe(onNext: { print($0.0, $0.7) }).disposed(by: bag)
    Observable.zip(a, b, c, a, b, c, a, b) { n, s, f, m, t, g, o, u in u }.subscribe().disposed(by: bag)
    Observable.zip([a, a]).map { $0.reduce(0, +) }.subscribe().disposed(by: bag)
    Observable.zip([a, a]) { $0.count }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b).map { n, s in "\(n)\(s)" }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b) { n, s in "\(n)\(s)" }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, a, resultSelector: +).subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c).filter { $2 }.map { ($0.0, $0.1) }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c, a) { n, s, f, m in f ? n : m }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c, a, b) { n, s, f, m, t in s + t }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c, a, b, c) { n, s, f, m, t, g in f != g }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c, a, b, c, a) { n, s, f, m, t, g, o in o }.subscribe().disposed(by: bag)
    Observable.combineLatest(a, b, c, a, b, c, a, b).map { $0.7 }.subscribe().disposed(by: bag)
    Observable.combineLatest([a, a]).subscribe(onNext: { print($0.count) }).disposed(by: bag)
    Observable.combineLatest([a, a]) { $0.max() ?? 0 }.subscribe().disposed(by: bag)
}

func nested(_ ids: Observable<Int>, bag: DisposeBag) {
    func load(_ id: Int) -> Observable<[String]> { .just(["\(id)"]) }
    ids.flatMapLatest { id in
        load(id).flatMap { names in
            Observable.from(names).flatMap { name in
                load(name.count).map { (id, name, $0) }
            }
        }
    }
    .map { id, name, tags in "\(id) \(name) \(tags.count)" }
    .observe(on: MainScheduler.instance)
    .subscribe(onNext: { print($0) })
    .disposed(by: bag)
    ids.flatMap { a in ids.flatMap { b in ids.map { c in a + b + c } } }.subscribe().disposed(by: bag)
    ids.flatMapLatest { id -> Observable<String> in
        guard id > 0 else { return .empty() }
        return load(id).compactMap(\.first)
    }.subscribe().disposed(by: bag)
    ids.flatMapFirst { id in Single.just(id) }.subscribe().disposed(by: bag)
}

func weakSelf(bag: DisposeBag) {
    final class Owner {
        let bag = DisposeBag()
        var last = 0
        func follow(_ numbers: Observable<Int>) {
            numbers.subscribe(onNext: { [weak self] in self?.last = $0 }).disposed(by: bag)
            numbers.subscribe(with: self, onNext: { owner, n in owner.last = n }).disposed(by: bag)
            numbers.withUnretained(self).subscribe(onNext: { owner, n in owner.last = n }).disposed(by: bag)
            numbers.withUnretained(self) { owner, n in owner.last + n }.subscribe().disposed(by: bag)
        }
    }
    Owner().follow(.just(1))
}

func subjects(bag: DisposeBag) {
    let publish = PublishSubject<Int>()
    let behavior = BehaviorSubject(value: 1)
    let replay = ReplaySubject<Int>.create(bufferSize: 2)
    publish.subscribe(behavior).disposed(by: bag)
    behavior.subscribe(replay).disposed(by: bag)
    publish.onNext(1)
    publish.on(.completed)
    _ = try? behavior.value()
    let observer: AnyObserver<Int> = publish.asObserver().mapObserver { (n: Int) in n + 1 }
    observer.onNext(1)
    let any = AnyObserver<Int> { event in print(event) }
    publish.asObservable().subscribe(any).disposed(by: bag)
    behavior.bind(replay, bag)
}

extension ObservableType {
    func bind<O: ObserverType>(_ observer: O, _ bag: DisposeBag) where O.Element == Element {
        subscribe(observer).disposed(by: bag)
    }
    /// An operator as users write them.
    func filterNil<T>() -> Observable<T> where Element == T? {
        flatMap { $0.map(Observable.just) ?? .empty() }
    }
}
