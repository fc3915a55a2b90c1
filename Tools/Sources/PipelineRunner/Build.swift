// SPDX-License-Identifier: Apache-2.0

import PipelineModel
import RxSwift

extension Session {
    /// Makes the observable of a pipeline.
    func build(_ node: Node, _ environment: Environment) -> Ints {
        let pipeline = buildNode(node, environment)
        return postponed.contains(node.id) ? cancelledLater(pipeline) : pipeline
    }

    private func buildNode(_ node: Node, _ environment: Environment) -> Ints {
        let shape = node.op.shape
        if shape.use == .virtualTime { return buildTimed(node, environment) }
        if shape.closure != .none { return buildFlattening(node, environment) }
        switch node.children.count {
        case 0: return buildSource(node, environment)
        case 1 where shape.sources == 1...1: return buildLinear(node, environment)
        default: return buildCombining(node, environment)
        }
    }

    /// Returns a source that cannot be cancelled before the running action or step has returned.
    private func cancelledLater(_ source: Ints) -> Ints {
        .create { [unowned self] observer in
            let (held, subscription) = (SingleAssignmentDisposable(), SingleAssignmentDisposable())
            hold { held.setDisposable(subscription) }
            subscription.setDisposable(source.subscribe { observer.on($0) })
            return held
        }
    }

    func buildSource(_ node: Node, _ environment: Environment) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        switch node.op {
        case .range where isPressed:
            return .range(start: numbers[0], count: numbers[1], scheduler: Pressure.scheduler(id))
        case .of: return variadicOf(numbers)
        case .from: return .from(numbers)
        case .range: return .range(start: numbers[0], count: numbers[1])
        case .just: return .just(numbers[0])
        case .empty: return .empty()
        case .never: return .never()
        case .error: return .error(Failure(code: numbers[0]))
        case .optional: return .from(optional: numbers[0] == 0 ? nil : 5)
        case .repeatElement: return .repeatElement(numbers[0])
        case .element: return .just(environment.element)
        case .it: return environment.it ?? .empty()
        case .ref: return shared.indices.contains(numbers[0]) ? shared[numbers[0]].observable : .just(numbers[0])
        case .create:
            return .create { observer in
                log.add(id, "m")
                for number in numbers {
                    switch number {
                    case -1: observer.onCompleted()
                    case -2: observer.onError(Failure(code: 5))
                    default: observer.onNext(number)
                    }
                }
                return Disposables.create { log.add(id, "d") }
            }
        case .generate:
            return .generate(
                initialState: numbers[0],
                condition: {
                    log.add(id, "f", $0)
                    return $0 < numbers[0] + numbers[1]
                },
                iterate: {
                    log.add(id, "f", $0)
                    try throwing(numbers[2], at: $0)
                    return $0 + 1
                })
        case .single:
            return Single<Int>.create { observer in
                log.add(id, "m")
                for _ in 0...numbers[1] {
                    observer(numbers[0] == 0 ? .success(4) : .failure(Failure(code: 6)))
                }
                return Disposables.create { log.add(id, "d") }
            }.asObservable()
        case .maybe:
            return Maybe<Int>.create { observer in
                log.add(id, "m")
                for _ in 0...numbers[1] {
                    observer(numbers[0] == 0 ? .success(4) : numbers[0] == 1 ? .completed : .error(Failure(code: 6)))
                }
                return Disposables.create { log.add(id, "d") }
            }.asObservable()
        case .completable:
            return Completable.create { observer in
                log.add(id, "m")
                for _ in 0...numbers[1] { observer(numbers[0] == 0 ? .completed : .error(Failure(code: 6))) }
                return Disposables.create { log.add(id, "d") }
            }.asObservable().map { (_: Never) -> Int in }
        default: fatalError("\(node.op) is no source")
        }
    }

    private func variadicOf(_ numbers: [Int]) -> Ints {
        switch numbers.count {
        case 0: .of()
        case 1: .of(numbers[0])
        case 2: .of(numbers[0], numbers[1])
        case 3: .of(numbers[0], numbers[1], numbers[2])
        default: .of(numbers[0], numbers[1], numbers[2], numbers[3])
        }
    }

    func buildCombining(_ node: Node, _ environment: Environment) -> Ints {
        let sources = node.children.map { build($0, environment) }
        guard models < .all else { return modelEnd(sources) { self.combine(node, $0) } }
        return combine(node, sources)
    }

    private func combine(_ node: Node, _ sources: [Ints]) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        let isCollection = numbers.first == 1
        func combined(_ values: [Int]) -> Int {
            let result = mixed(values)
            log.add(id, "f", result)
            return result
        }
        switch node.op {
        case .zip where isPressed:
            return Observable.zip(sources.map(Pressure.weighted)) { combined($0.map(\.value)) }
        case .merge: return isCollection || sources.count > 2 ? .merge(sources) : .merge(sources[0], sources[1])
        case .concat: return isCollection || sources.count > 2 ? .concat(sources) : .concat(sources[0], sources[1])
        case .concatWith: return sources[0].concat(sources[1])
        case .combineLatest:
            if isCollection { return .combineLatest(sources, resultSelector: combined) }
            return sources.count == 2
                ? .combineLatest(sources[0], sources[1]) { combined([$0, $1]) }
                : .combineLatest(sources[0], sources[1], sources[2]) { combined([$0, $1, $2]) }
        case .zip:
            if isCollection { return .zip(sources, resultSelector: combined) }
            return sources.count == 2
                ? .zip(sources[0], sources[1]) { combined([$0, $1]) }
                : .zip(sources[0], sources[1], sources[2]) { combined([$0, $1, $2]) }
        case .amb where usesModels:
            guard isCollection || sources.count > 2 else { return modelAmb(sources[0], sources[1]) }
            return sources.reduce(.never(), modelAmb)
        case .skipUntil where usesModels: return modelSkipUntil(sources[0], sources[1])
        case .amb: return isCollection || sources.count > 2 ? .amb(sources) : sources[0].amb(sources[1])
        case .withLatestFrom: return sources[0].withLatestFrom(sources[1]) { combined([$0, $1]) }
        case .takeUntil: return sources[0].take(until: sources[1])
        case .skipUntil: return sources[0].skip(until: sources[1])
        case .sample:
            return isCollection ? sources[0].sample(sources[1], defaultValue: 8) : sources[0].sample(sources[1])
        case .ifEmptySwitch: return sources[0].ifEmpty(switchTo: sources[1])
        case .catchSequence: return .catch(sequence: sources)
        case .andThen: return sources[0].ignoreElements().asCompletable().andThen(sources[1])
        default: fatalError("\(node.op) does not combine sources")
        }
    }

    func buildFlattening(_ node: Node, _ environment: Environment) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        let source = build(node.children[0], environment)
        let inner = node.children[1]
        func selected(_ element: Int) throws -> Ints {
            log.add(id, "m", element)
            try throwing(numbers[0], at: element)
            var environment = environment
            environment.element = element
            return self.build(inner, environment)
        }
        func around(_ observable: Ints) -> Ints {
            log.add(id, "m")
            var environment = environment
            environment.it = observable
            return self.build(inner, environment)
        }
        switch node.op {
        case .flatMap: return source.flatMap(selected)
        case .flatMapLatest: return source.flatMapLatest(selected)
        case .flatMapFirst: return source.flatMapFirst(selected)
        case .concatMap: return source.concatMap(selected)
        case .mergeMap: return source.map(selected).merge()
        case .mergeLimit: return source.map(selected).merge(maxConcurrent: numbers[1])
        case .concatAll: return source.map(selected).concat()
        case .switchLatest: return source.map(selected).switchLatest()
        case .catchError:
            return source.catch { error in
                log.add(id, "m", code(of: error))
                if numbers[0] == 1 { throw Failure(code: 7) }
                var environment = environment
                environment.element = code(of: error)
                return self.build(inner, environment)
            }
        case .retryWhen:
            return source.retry(when: { (errors: Observable<any Error>) in
                let codes = errors.map { code(of: $0) }
                guard self.usesModels else { return around(codes) }
                let answers = Answers()
                return self.modelNotifier(around(self.modelErrors(codes, answers)), answers)
            })
        case .multicastSelector: return multicast(source, numbers[0], around)
        case .groupBy:
            func key(_ element: Int) -> Int {
                log.add(id, "f", element)
                return element % numbers[0]
            }
            func made(_ key: Int, _ elements: Ints) -> Ints {
                log.add(id, "m", key)
                var environment = environment
                environment.it = elements
                environment.element = key
                return self.build(inner, environment)
            }
            let pipelines =
                usesModels
                ? modelGroups(source, key, made)
                : source.groupBy(keySelector: key).map { made($0.key, $0.asObservable()) }
            return flattened(pipelines, numbers[1])
        default: fatalError("\(node.op) has no closure that returns a pipeline")
        }
    }

    func flattened(_ pipelines: Observable<Ints>, _ choice: Int) -> Ints {
        switch choice {
        case 0: pipelines.merge()
        case 1: pipelines.concat()
        default: pipelines.switchLatest()
        }
    }
}
