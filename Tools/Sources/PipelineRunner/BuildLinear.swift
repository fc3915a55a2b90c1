// SPDX-License-Identifier: Apache-2.0

import PipelineModel
import RxSwift

extension Session {
    func buildLinear(_ node: Node, _ environment: Environment) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        let source = build(node.children[0], environment)
        func test(_ element: Int) throws -> Bool {
            log.add(id, "f", element)
            try throwing(numbers[1], at: element)
            return predicate(numbers[0], element)
        }
        func accumulated(_ sum: Int, _ element: Int) throws -> Int {
            log.add(id, "f", element)
            try throwing(numbers[1], at: element)
            return mix(sum, element)
        }
        switch node.op {
        case .map:
            return source.map {
                log.add(id, "f", $0)
                try throwing(numbers[1], at: $0)
                return switch numbers[0] {
                case 0: $0 + 1
                case 1: $0 * 2 % 1000
                case 2: $0 % 3
                case 3: mix(environment.element, $0)
                default: $0
                }
            }
        case .filter: return source.filter(test)
        case .compactMap: return source.compactMap { try test($0) ? $0 + 1 : nil }
        case .enumerated: return source.enumerated().map { mix($0.index, $0.element) }
        case .scan:
            guard numbers[0] == 1 else { return source.scan(1, accumulator: accumulated) }
            return source.scan(into: 1) { $0 = try accumulated($0, $1) }
        case .reduce:
            guard numbers[0] == 1 else { return source.reduce(1, accumulator: accumulated) }
            return source.reduce(1, accumulator: accumulated) {
                log.add(id, "f", $0)
                return $0 + 1
            }
        case .toArray: return source.toArray().asObservable().map(mixed)
        case .take: return source.take(numbers[0])
        case .takeLast: return source.takeLast(numbers[0])
        case .takeWhile: return source.take(while: test, behavior: numbers[2] == 0 ? .exclusive : .inclusive)
        case .takeUntilPredicate: return source.take(until: test, behavior: numbers[2] == 0 ? .exclusive : .inclusive)
        case .skip: return source.skip(numbers[0])
        case .skipWhile: return source.skip(while: test)
        case .elementAt: return source.element(at: numbers[0])
        case .only: return source.single()
        case .onlyWhere: return source.single(test)
        case .first: return source.first().asObservable().map { $0 ?? 77 }
        case .distinct:
            switch numbers[0] {
            case 0: return source.distinctUntilChanged()
            case 1:
                return source.distinctUntilChanged { (element: Int) throws -> Int in
                    log.add(id, "f", element)
                    try throwing(numbers[1], at: element)
                    return element / 2
                }
            default:
                return source.distinctUntilChanged { (one: Int, other: Int) throws -> Bool in
                    log.add(id, "f", mix(one, other))
                    try throwing(numbers[1], at: other)
                    return one >= other
                }
            }
        case .ignoreElements: return source.ignoreElements().map { (_: Never) -> Int in }
        case .startWith:
            return numbers.count == 1 ? source.startWith(numbers[0]) : source.startWith(numbers[0], numbers[1])
        case .ifEmptyDefault: return source.ifEmpty(default: numbers[0])
        case .materialize:
            return source.materialize().map {
                switch $0 {
                case .next(let element): element
                case .error(let error): 500 + code(of: error)
                case .completed: 500
                }
            }
        case .roundTrip: return source.materialize().dematerialize()
        case .catchAndReturn: return source.catchAndReturn(numbers[0])
        case .retry: return source.retry(numbers[0])
        case .asSingle: return source.asSingle().asObservable()
        case .asMaybe: return source.asMaybe().asObservable()
        case .asInfallible: return source.asInfallible(onErrorJustReturn: numbers[0]).asObservable()
        case .observeOn where program.kind == .pressure:
            return isPressed ? Pressure.hop(source, numbers[0], log) : source
        case .observeOn:
            switch numbers[0] {
            case 0: return source.observe(on: CurrentThreadScheduler.instance)
            case 1: return source.observe(on: ImmediateSchedulerStandIn.instance)
            case 2: return source.observe(on: timing)
            case 3: return source.observe(on: serialScheduler)
            default: return source.observe(on: concurrentScheduler)
            }
        case .subscribeOn:
            switch numbers[0] {
            case 0: return source.subscribe(on: CurrentThreadScheduler.instance)
            case 1: return source.subscribe(on: ImmediateSchedulerStandIn.instance)
            case 2: return source.subscribe(on: timing)
            case 3: return source.subscribe(on: serialScheduler)
            default: return source.subscribe(on: concurrentScheduler)
            }
        case .doEvents: return doEvents(source, node)
        case .probe: return probe(source, node)
        case .deferred:
            return .deferred {
                log.add(id, "m")
                if numbers[0] == 1 { throw Failure(code: 8) }
                return source
            }
        case .using:
            return .using(
                {
                    log.add(id, "s")
                    if numbers[0] == 1 { throw Failure(code: 8) }
                    return LoggedResource { log.add(id, "d") }
                },
                observableFactory: { (_: LoggedResource) in
                    log.add(id, "m")
                    if numbers[0] == 2 { throw Failure(code: 9) }
                    return source
                })
        case .flaky:
            var failures = 0
            return .deferred {
                log.add(id, "m")
                failures += 1
                return failures <= numbers[0] ? source.concat(Ints.error(Failure(code: 3))) : source
            }
        case .share: return shared(source, replaying: numbers[0], isForever: numbers[1] == 1)
        case .publish: return refCounted(source, numbers[0], makesSubjects: false)
        case .multicast: return refCounted(source, numbers[0], makesSubjects: true)
        case .replay: return replayed(source, numbers[0])
        case .react: return react(source, node)
        default: fatalError("\(node.op) is no operator with one source")
        }
    }

    private func doEvents(_ source: Ints, _ node: Node) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        switch numbers[0] {
        case 0:
            return source.do(onNext: {
                log.add(id, "n", $0)
                try throwing(numbers[1], at: $0)
            })
        case 1: return source.do(onNext: { log.add(id, "n", $0) }, afterNext: { log.add(id, "N", $0) })
        case 2:
            return source.do(
                onError: { log.add(id, "e", code(of: $0)) }, afterError: { log.add(id, "E", code(of: $0)) },
                onCompleted: { log.add(id, "c") }, afterCompleted: { log.add(id, "C") })
        default:
            return source.do(
                onCompleted: { log.add(id, "c") }, onSubscribe: { log.add(id, "s") },
                onSubscribed: { log.add(id, "S") }, onDispose: { log.add(id, "d") })
        }
    }

    /// Logs everything, and checks the events of each subscription with a watch of its own.
    private func probe(_ source: Ints, _ node: Node) -> Ints {
        let (id, log) = (node.id, log)
        return .deferred {
            let instance = self.instance(of: node)
            let watch = Watch(log, "probe \(id)#\(instance)")
            return source.do(
                onNext: {
                    watch.enter(.next($0))
                    log.add(id, "n", $0, instance: instance)
                },
                afterNext: {
                    watch.leave()
                    log.add(id, "N", $0, instance: instance)
                },
                onError: {
                    watch.enter(.error($0))
                    log.add(id, "e", code(of: $0), instance: instance)
                },
                afterError: {
                    watch.leave()
                    log.add(id, "E", code(of: $0), instance: instance)
                },
                onCompleted: {
                    watch.enter(.completed)
                    log.add(id, "c", instance: instance)
                },
                afterCompleted: {
                    watch.leave()
                    log.add(id, "C", instance: instance)
                },
                onSubscribe: { log.add(id, "s", instance: instance) },
                onSubscribed: { log.add(id, "S", instance: instance) },
                onDispose: { log.add(id, "d", instance: instance) })
        }
    }

    /// Acts from inside a callback, at the event of the given number.
    private func react(_ source: Ints, _ node: Node) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        var events = 0
        return source.do(onNext: { _ in
            events += 1
            log.add(id, "f", events)
            guard events == numbers[0] else { return }
            let (target, value) = (numbers[2], numbers[3])
            self.reactions += 1
            defer { self.reactions -= 1 }
            switch numbers[1] {
            case 0, 1, 2: self.perform(Step(.next, target, value: value))
            case 3: self.perform(Step(.completed, target))
            case 4: self.perform(Step(.error, target, value: 4))
            case 5: self.perform(Step(.dispose, target))
            case 6: self.perform(Step(.subscribe, target))
            default: self.perform(Step(.connect, target))
            }
            log.add(id, "F", events)
        })
    }
}

final class LoggedResource: Disposable {
    private let onDispose: () -> Void

    init(_ onDispose: @escaping () -> Void) { self.onDispose = onDispose }

    func dispose() { onDispose() }
}

/// Runs actions at once. RxSwift's own immediate scheduler is internal.
final class ImmediateSchedulerStandIn: ImmediateSchedulerType {
    static let instance = ImmediateSchedulerStandIn()

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        action(state)
    }
}
