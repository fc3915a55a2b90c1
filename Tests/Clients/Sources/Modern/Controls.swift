// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxBlocking
import RxCocoa
import RxRelay
import RxSwift
import RxTest

/// A control as a user interface has them.
@MainActor final class Label {
    var text: String?
    var isHidden = false
    let taps = PublishRelay<Void>()
}

extension Label: ReactiveCompatible {}

extension Reactive where Base: Label {
    @MainActor var title: Binder<String> { Binder(base) { label, text in label.text = text } }
    @MainActor var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
    @MainActor var content: ControlProperty<String?> {
        ControlProperty(values: base.taps.map { "" }, valueSink: Binder(base) { $0.text = $1 })
    }
}

@MainActor final class SignUpScreen {
    private let label = Label()
    private let button = Label()
    private let bag = DisposeBag()
    private var messages: [String] = []

    struct Output: Sendable {
        let isEnabled: Driver<Bool>
        let errors: Signal<String>
    }

    func bind(_ model: SignUpModel) {
        let output = model.transform(taps: button.rx.tap.asSignal(), text: label.rx.content.asDriver())
        output.isEnabled.map { !$0 }.drive(button.rx.isHidden).disposed(by: bag)
        output.isEnabled.map { $0 ? "on" : "off" }.drive(label.rx.title).disposed(by: bag)
        output.errors.emit(to: label.rx.title).disposed(by: bag)
        output.errors.emit(onNext: { [weak self] in self?.messages.append($0) }).disposed(by: bag)
        Observable.just("a").observe(on: MainScheduler.instance).bind(to: label.rx.title).disposed(by: bag)
        Observable.just(nil).bind(to: label.rx.content).disposed(by: bag)
        button.rx.tap.subscribe(onMainNext: { [weak self] in self?.submit() }).disposed(by: bag)
        Driver.merge(output.isEnabled.map { "\($0)" }, .just("start")).drive(onNext: append).disposed(by: bag)
    }

    private func submit() { messages = [] }
    private func append(_ message: String) { messages.append(message) }
}

final class SignUpModel: Sendable {
    private let service: Service
    private let isBusy = BehaviorRelay(value: false)
    private let failures = PublishRelay<String>()

    init(service: Service) { self.service = service }

    func transform(taps: Signal<Void>, text: Driver<String?>) -> SignUpScreen.Output {
        let service = service
        let names = taps.asObservable().withLatestFrom(text) { $1 ?? "" }
            .flatMapLatest { name in service.person(name.count).asObservable() }
            .map(\.name)
            .asDriver(onErrorJustReturn: "")
        return SignUpScreen.Output(
            isEnabled: Driver.combineLatest(text, isBusy.asDriver(), names) { text, isBusy, _ in
                !isBusy && text?.isEmpty == false
            }
            .distinctUntilChanged(),
            errors: failures.asSignal())
    }
}

func search(_ text: Observable<String>, _ service: Service) -> Driver<[Person]> {
    text.debounce(.milliseconds(300), scheduler: MainScheduler.instance)
        .distinctUntilChanged()
        .flatMapLatest { text in service.person(text.count).map { [$0] }.catchAndReturn([]) }
        .asDriver(onErrorJustReturn: [])
}

@MainActor func marbles() -> Bool {
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.createObserver(Int.self)
    let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
    var received: [Int] = []
    let subscription = source.map { $0 + 1 }.subscribe(observer)
    SharingScheduler.mock(scheduler: scheduler) {
        source.asDriver(onErrorJustReturn: 0).drive(onNext: { received.append($0) }).disposed(by: DisposeBag())
    }
    scheduler.start()
    subscription.dispose()
    return observer.events == [.next(210, 2), .completed(220)] && received.isEmpty
}

func blocking(_ source: Observable<Int>) throws -> [Int] { try source.toBlocking(timeout: 1).toArray() }

/// Generic helpers, as programs have them.
extension ObservableType where Element: Sendable {
    func background() -> Observable<Element> {
        observe(on: ConcurrentDispatchQueueScheduler(qos: .utility)).share(replay: 1, scope: .whileConnected)
    }

    func firstValue() async throws -> Element? { try await take(1).asMaybe().value }
}

func poll<Value: Sendable>(every seconds: Int, _ load: @escaping @Sendable () async throws -> Value) -> Observable<
    Value
> {
    Observable<Int>.interval(.seconds(seconds), scheduler: SerialDispatchQueueScheduler(qos: .background))
        .flatMapLatest { _ in Single.create { try await load() } }
}

actor Cache<Key: Hashable & Sendable, Value: Sendable> {
    private var values: [Key: Value] = [:]
    private let changes = ReplaySubject<Key>.create(bufferSize: 1)
    nonisolated var keys: Infallible<Key> { changes.asInfallible(onErrorFallbackTo: .empty()) }

    func value(_ key: Key, _ load: Single<Value>) async throws -> Value {
        if let value = values[key] { return value }
        let value = try await load.value
        values[key] = value
        changes.onNext(key)
        return value
    }

    func fill(_ updates: Observable<(Key, Value)>) async throws {
        for try await (key, value) in updates.values { values[key] = value }
    }
}

func connect(_ source: Observable<Int>) -> (Observable<Int>, any Disposable) {
    let connectable = source.publish()
    return (connectable.asObservable(), connectable.connect())
}

struct Middleware: Sendable {
    let handle: @Sendable (Person) -> Observable<Person>
    let sink: AnyObserver<Person>
    let bag: DisposeBag
    let subscription: any Disposable
    let errors: Infallible<String>
}

func cancelled(_ source: Observable<Int>) async -> Int {
    let task = Task { () -> Int in
        var last = 0
        for try await number in source.values { last = number }
        return last
    }
    task.cancel()
    return (try? await task.value) ?? -1
}

@MainActor func stream(_ signal: Signal<Int>) async -> [Int] {
    var all: [Int] = []
    for await number in signal.values.prefix(3) { all.append(number) }
    return all
}
