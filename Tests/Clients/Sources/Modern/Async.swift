// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxRelay
import RxSwift
import RxTest

nonisolated enum Trace {
    @TaskLocal static var id = "none"
}

/// A model whose work is asynchronous code, in the isolation of the model.
@MainActor final class SearchModel {
    private let service = Service()
    private let bag = DisposeBag()
    private let query = PublishRelay<Int>()
    private(set) var people: [Person] = []
    private(set) var status = ""

    func start() {
        query
            .debounce(for: .milliseconds(300))
            .asyncMap { [service] id in
                // The closure belongs to the main actor, as that of a Task does.
                self.status = "loading \(id)"
                return try await service.person(id).value
            }
            .subscribe(onMainNext: { [weak self] in self?.people.append($0) })
            .disposed(by: bag)
    }

    func search(_ id: Int) { query.accept(id) }

    func loadAll(_ ids: [Int]) async throws {
        let source = Observable.from(ids).asyncMap(maxConcurrent: 4) { [service] in try await service.person($0).value }
        for try await person in source.values(buffering: .suspend) { people.append(person) }
    }

    func follow(_ ticks: Infallible<Int>) async {
        for await tick in ticks.values(buffering: .latest) { status = "\(tick)" }
    }

    func show(_ driver: Driver<Int>) async {
        for await value in driver.values(buffering: .dropOldest(10)) { status = "\(value)" }
    }

    func whileShown(_ updates: Observable<Person>) async throws {
        try await withSubscription(updates.subscribe(onMainNext: { self.people.append($0) })) {
            try await Task.sleep(for: .seconds(1))
            status = "shown"
        }
    }

    func inTask(_ updates: Signal<Person>) -> Task<Void, Never> {
        let task = Task { await follow(.empty()) }
        updates.emit(onNext: { self.people.append($0) }).disposed(by: task)
        return task
    }
}

/// A server of lines, with several requests at a time.
actor LineServer {
    private let bag = DisposeBag()
    private var count = 0

    func serve(_ requests: Observable<String>) -> Observable<String> {
        requests.asyncMap(maxConcurrent: 8, keepsOrder: false) { request in
            self.count += 1
            return try await self.answer(request)
        }
    }

    private func answer(_ request: String) async throws -> String { request + "!" }

    func follow(_ events: Observable<Int>) {
        events.observe(on: ActorScheduler(self))
            .subscribe(onNext: { [weak self] event in self?.assumeIsolated { $0.count += event } })
            .disposed(by: bag)
    }

    func drain(_ events: Observable<Int>) async throws {
        for try await event in events.values(buffering: .unbounded) { count += event }
    }
}

func streams(_ events: Observable<Int>, _ service: Service) -> Observable<Person> {
    events.flatMap(maxConcurrent: 2) { id async throws -> Single<Person> in
        try await Task.sleep(for: .milliseconds(1))
        return service.person(id)
    }
}

func traced(_ requests: Observable<String>, _ worker: SerialDispatchQueueScheduler) -> Observable<String> {
    requests
        .carrying(Trace.$id) { $0.observe(on: worker).delay(.seconds(1), scheduler: worker) }
        .map { "\(Trace.id): \($0)" }
}

func onPool(_ numbers: [Int]) async -> Int {
    let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 4)
    return await withTaskExecutorPreference(pool) {
        await withTaskGroup(of: Int.self) { group in
            for number in numbers { group.addTask { number * number } }
            var sum = 0
            for await square in group { sum += square }
            return sum
        }
    }
}

func sharedWork(_ jobs: Observable<Int>) async throws -> Int {
    let jobs = jobs.asInfallible(onErrorJustReturn: 0).values(buffering: .suspend)
    return await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
            group.addTask { await jobs.reduce(0, +) }
        }
        var sum = 0
        for await part in group { sum += part }
        return sum
    }
}

func racing(_ left: Observable<Int>, _ right: Observable<Int>) async throws -> (Int?, Int?) {
    async let first = left.values(buffering: .latest).first { $0 > 1 }
    async let second = right.values(buffering: .latest).first { $0 > 2 }
    return try await (first, second)
}

/// Code that knows only of a clock.
nonisolated struct Retrying<C: Clock>: Sendable where C.Duration == Duration {
    let clock: C

    func ticks() -> Observable<Int> { .interval(.seconds(1), clock: clock) }

    func guarded<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
        source.timeout(after: .seconds(5), clock: clock).throttle(for: .milliseconds(100), clock: clock)
    }
}

@MainActor func virtualTime() async -> [Int] {
    let clock = TestClock()
    var seen: [Int] = []
    await MainScheduler.replaced(by: ClockScheduler(clock)) {
        let source = Observable<Int>.interval(.seconds(1), scheduler: MainScheduler.instance)
        let subscription = source.subscribe(onMainNext: { seen.append($0) })
        await clock.advance(by: .seconds(3))
        subscription.dispose()
    }
    return seen
}

@Database func onDatabase(_ source: Observable<Person>) async throws -> [Person] {
    let repository = Repository()
    for try await person in source.values(buffering: .suspend) { repository.insert(person) }
    return []
}

func window(_ lines: Observable<String>) -> Observable<[String]> { lines.buffer(for: .seconds(1), count: 100) }

nonisolated struct Api: Sendable {
    func name(_ id: Int) async -> String { "\(id)" }
    func people(_ id: Int) async throws -> Observable<Person> { .empty() }
}

func references(_ ids: Observable<Int>, _ id: Single<Int>) -> Observable<String> {
    let api = Api()
    return .merge(
        ids.asyncMap(api.name), id.asyncMap(api.name).asObservable(),
        ids.flatMap(maxConcurrent: 3, api.people).map(\.name))
}
