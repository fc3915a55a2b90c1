// SPDX-License-Identifier: Apache-2.0

import Observation
import RxCocoa
import RxRelay
import RxSwift

/// A person, who may cross threads.
nonisolated struct Person: Sendable, Equatable {
    var name: String
}

/// A class that may not.
nonisolated final class Draft {
    var text = ""
}

nonisolated final class Service: Sendable {
    func person(_ id: Int) -> Single<Person> { .just(Person(name: "\(id)")) }
    func draft() -> Single<Draft> { .just(Draft()) }
    func save(_ person: Person) -> Completable { .empty() }
    func cached(_ id: Int) -> Maybe<Person> { .empty() }
    var changes: Observable<Person> { .just(Person(name: "a")) }
}

@MainActor final class PeopleModel {
    var label = ""
    var isBusy = false
    var people: [Person] = []
    private let service: Service
    private let bag = DisposeBag()
    let name = BehaviorRelay(value: "")
    let taps = PublishRelay<Void>()
    let selected = PublishSubject<Person>()
    private let isLoading = BehaviorRelay(value: false)
    var loading: Driver<Bool> { isLoading.asDriver() }

    init(service: Service) {
        self.service = service
        name.asDriver().drive(onNext: { [weak self] in self?.label = $0 }).disposed(by: bag)
        taps.asSignal().emit(onNext: { [weak self] in self?.label = "tapped" }).disposed(by: bag)
        name.asDriver().drive(with: self, onNext: { $0.label = $1 }).disposed(by: bag)
        taps.asSignal().emit(with: self, onNext: { model, _ in model.isBusy.toggle() }).disposed(by: bag)
        name.asDriver().map { $0.uppercased() }.distinctUntilChanged().drive(labelBinder).disposed(by: bag)
        loading.drive(Binder(self) { $0.isBusy = $1 }).disposed(by: bag)
        name.asDriver().drive(onNext: show).disposed(by: bag)
        name.subscribe(onMainNext: { [weak self] in self?.label = $0 }).disposed(by: bag)
        taps.asSignal().map { 1 }.scan(0, accumulator: +).emit(onNext: { [weak self] in self?.label = "\($0)" })
            .disposed(by: bag)
        Driver.combineLatest(name.asDriver(), loading) { "\($0) \($1)" }
            .drive(onNext: { [unowned self] in self.label = $0 }, onCompleted: { [weak self] in self?.label = "done" })
            .disposed(by: bag)
        service.changes.asDriver(onErrorJustReturn: Person(name: "")).drive(onNext: { [weak self] in
            self?.people.append($0)
        })
        .disposed(by: bag)
        let stored: @MainActor (String) -> Void = { [weak self] in self?.label = $0 }
        name.asDriver().drive(onNext: stored).disposed(by: bag)
        var count = 0
        name.asDriver().drive(onNext: { _ in count += 1 }).disposed(by: bag)
    }

    private var labelBinder: Binder<String> { Binder(self) { model, text in model.label = text } }

    func show(_ text: String) { label = text }

    func load() async throws {
        isLoading.accept(true)
        defer { isLoading.accept(false) }
        people = [try await service.person(3).value]
        label = try await service.draft().value.text
        try await service.save(people[0]).value
        if let person = try await service.cached(3).value { people.append(person) }
        for try await person in service.changes.values { people.append(person) }
        for await text in name.asDriver().values { label = text }
    }

    func loadAll() async throws -> [Person] {
        async let first = service.person(1).value
        async let second = service.person(2).value
        return try await [first, second]
    }
}

@MainActor @Observable final class ObservedModel {
    var title = ""
    @ObservationIgnored private let bag = DisposeBag()

    init(_ titles: Driver<String>, _ alerts: Signal<String>) {
        titles.drive(onNext: { [weak self] in self?.title = $0 }).disposed(by: bag)
        alerts.emit(onNext: { [weak self] in self?.title = $0 }).disposed(by: bag)
    }
}
