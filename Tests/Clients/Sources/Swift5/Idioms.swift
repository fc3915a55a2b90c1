// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxRelay
import RxSwift

/// Idioms of code bases that use RxSwift.
final class ProfileViewModel {
    struct Input {
        let refresh: Observable<Void>
        let name: Observable<String?>
        let save: Signal<Void>
    }

    struct Output {
        let title: Driver<String>
        let isLoading: Driver<Bool>
        let error: Signal<Error>
    }

    private let disposeBag = DisposeBag()
    private let loading = BehaviorRelay(value: false)
    private let errors = PublishRelay<Error>()
    private lazy var names = PublishSubject<String>()

    func load(_ id: Int) -> Single<User> {
        .just(User(name: "\(id)", age: id))
    }

    func save(_ user: User) -> Completable {
        .empty()
    }

    func transform(_ input: Input) -> Output {
        let user = input.refresh
            .startWith(())
            .flatMapLatest { [weak self] _ -> Observable<User> in
                guard let self else { return .empty() }
                return self.load(1)
                    .do(
                        onSuccess: { [weak self] _ in self?.loading.accept(false) },
                        onError: { [weak self] error in self?.errors.accept(error) },
                        onSubscribe: { [weak self] in self?.loading.accept(true) }
                    )
                    .asObservable()
                    .catch { _ in .empty() }
            }
            .share(replay: 1)
        input.name.compactMap { $0 }.bind(to: names).disposed(by: disposeBag)
        input.save
            .withLatestFrom(user.asDriver(onErrorDriveWith: .empty()))
            .emit(onNext: { [weak self] user in
                guard let self else { return }
                self.save(user).subscribe().disposed(by: self.disposeBag)
            })
            .disposed(by: disposeBag)
        return Output(
            title: Observable.combineLatest(user.map(\.name), names.startWith("")) { "\($0) \($1)" }
                .asDriver(onErrorJustReturn: ""),
            isLoading: loading.asDriver().distinctUntilChanged(),
            error: errors.asSignal()
        )
    }
}

func idioms(_ users: Observable<[User]>, _ taps: Observable<Void>, _ flag: Observable<Bool>, bag: DisposeBag) {
    let selected = PublishRelay<User>()
    let count = BehaviorRelay<Int>(value: 0)
    users.map { $0.map(\.name) }.map { $0.joined(separator: ", ") }.subscribe(onNext: { print($0) }).disposed(by: bag)
    users.map { $0.count }.bind(to: count).disposed(by: bag)
    users.flatMap { Observable.from($0) }.bind(to: selected).disposed(by: bag)
    users.map { $0.first }.compactMap { $0 }.subscribe(onNext: selected.accept).disposed(by: bag)
    users.map { !$0.isEmpty }.distinctUntilChanged().subscribe(onNext: { print($0) }).disposed(by: bag)
    taps.map { _ in }.subscribe().disposed(by: bag)
    taps.map { 1 }.scan(0) { $0 + $1 }.map { "\($0) taps" }.bind(onNext: { print($0) }).disposed(by: bag)
    taps.withLatestFrom(count).map { $0 + 1 }.bind(to: count).disposed(by: bag)
    taps.withLatestFrom(Observable.combineLatest(count, flag)).filter { $0.1 }.map { $0.0 }.subscribe().disposed(
        by: bag)
    taps.throttle(.milliseconds(500), latest: false, scheduler: MainScheduler.instance)
        .withLatestFrom(flag) { $1 }
        .filter { $0 }
        .flatMapFirst { _ in Observable.just(1).delay(.seconds(1), scheduler: MainScheduler.instance) }
        .take(until: flag.filter { !$0 })
        .subscribe(onNext: { print($0) }, onError: { print($0.localizedDescription) }, onCompleted: { print("done") })
        .disposed(by: bag)
    Observable.merge(taps.map { 1 }, flag.map { $0 ? 2 : 3 }).subscribe().disposed(by: bag)
    Observable.combineLatest(count, flag, users) { count, flag, users in flag ? users.count : count }
        .observe(on: SerialDispatchQueueScheduler(qos: .userInitiated))
        .map { $0 * 2 }
        .observe(on: MainScheduler.asyncInstance)
        .subscribe { event in print(event) }
        .disposed(by: bag)
    Observable.zip(users, users.skip(1)).map { old, new in new.count - old.count }.subscribe().disposed(by: bag)
    Observable<Int>.timer(.seconds(0), period: .seconds(1), scheduler: MainScheduler.instance)
        .take(while: { $0 < 10 })
        .map { 10 - $0 }
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
    let pages = Observable.just(1).concat(taps.enumerated().map { index, _ in index + 2 })
    pages.concatMap { page in Observable.just([page]) }.scan([], accumulator: +).subscribe(onNext: { print($0) })
        .disposed(by: bag)
    users.materialize().compactMap { $0.error }.subscribe(onNext: { print($0) }).disposed(by: bag)
    let connectable = users.publish()
    connectable.subscribe().disposed(by: bag)
    connectable.connect().disposed(by: bag)
    users.replay(1).refCount().subscribe().disposed(by: bag)
    flag.flatMapLatest { $0 ? taps.map { "tap" } : .never() }.subscribe(onNext: { print($0) }).disposed(by: bag)
    users.retry(when: { errors in
        errors.enumerated().flatMap { attempt, error -> Single<Int> in
            attempt > 2 ? .error(error) : Single<Int>.timer(.seconds(1), scheduler: MainScheduler.instance)
        }
    }).subscribe().disposed(by: bag)
    let cell: (Observable<Bool>) -> Disposable = { $0.subscribe() }
    flag.bind(to: cell).disposed(by: bag)
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// An operator of a program's own, on a trait.
    func orNil() -> Single<Element?> { map(Optional.some).catchAndReturn(nil) }
}

extension SharedSequenceConvertibleType {
    func mapToVoid() -> SharedSequence<SharingStrategy, Void> { map { _ in } }
}

extension ObservableType {
    func mapToVoid() -> Observable<Void> { map { _ in } }

    func asDriverOnErrorJustComplete() -> Driver<Element> { asDriver { _ in Driver.empty() } }

    func unwrap<Wrapped>() -> Observable<Wrapped> where Element == Wrapped? { compactMap { $0 } }
}

extension Reactive where Base: Label {
    var isLong: Binder<Bool> {
        Binder(base) { label, isLong in label.number = isLong ? 1 : 0 }
    }
}
