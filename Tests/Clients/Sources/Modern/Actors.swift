// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift

nonisolated struct Streams: Sendable {
    let people: Observable<Person>
    let selected: PublishSubject<Person>
    let current: BehaviorRelay<Person?>
    let load: Single<Person>
    let scheduler: any SchedulerType & Sendable
}

actor Store {
    private let relay = BehaviorRelay<[Person]>(value: [])
    nonisolated var stream: Observable<[Person]> { relay.asObservable() }
    nonisolated let events = PublishSubject<Int>()
    private var subscription: (any Disposable)?
    private var last: Person?

    func add(_ person: Person) { relay.accept(relay.value + [person]) }

    func follow(_ service: Service) async throws {
        last = try await service.person(1).value
        for try await person in service.changes.values { last = person }
        subscription = service.changes.subscribe(onNext: { [weak self] person in
            Task { await self?.add(person) }
        })
    }

    func stop() { subscription?.dispose() }
    deinit { subscription?.dispose() }
}

@globalActor actor Database {
    static let shared = Database()
}

@Database final class Repository {
    private var rows: [Person] = []
    private let changes = PublishRelay<Person>()
    nonisolated var all: Observable<Person> { changes.asObservable() }
    func insert(_ person: Person) {
        rows.append(person)
        changes.accept(person)
    }
    func load(_ service: Service) async throws { rows = [try await service.person(1).value] }
}

func group(_ service: Service) async throws -> [Person] {
    try await withThrowingTaskGroup(of: Person.self) { group in
        for id in 0..<3 { group.addTask { try await service.person(id).value } }
        var people: [Person] = []
        for try await person in group { people.append(person) }
        return people
    }
}

func merged(_ a: Observable<Int>, _ b: Observable<Int>) -> Observable<Int> {
    Observable.merge(a, b.map { $0 * 2 }).observe(on: MainScheduler.instance)
}

func detached(_ subject: PublishSubject<Int>, _ bag: DisposeBag) {
    Task.detached {
        subject.onNext(1)
        subject.subscribe(onNext: { print($0) }).disposed(by: bag)
    }
    let subscription = subject.subscribe()
    Task { subscription.dispose() }
}

func retrying<T: Sendable>(_ make: @escaping @Sendable () -> Single<T>) async throws -> T {
    try await Observable.deferred { make().asObservable() }.retry(3).asSingle().value
}

let shared = Observable.just(1).share(replay: 1)
let globalRelay = BehaviorRelay(value: 1)
enum Globals {
    static let subject = PublishSubject<Int>()
    static let scheduler = SerialDispatchQueueScheduler(qos: .default)
}

func asyncWork(_ service: Service) -> Single<Person> {
    Single.create { try await service.person(1).value }
}

func sequence(_ stream: AsyncStream<Int>) -> Observable<Int> { stream.asObservable() }

@MainActor func mainWork(_ subject: BehaviorSubject<Int>) async {
    var total = 0
    do { for try await value in subject.values.prefix(2) { total += value } } catch {}
    let first = try? await subject.take(1).asSingle().value
    print(total, first as Any)
}
