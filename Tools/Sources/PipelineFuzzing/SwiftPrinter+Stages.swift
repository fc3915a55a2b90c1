// SPDX-License-Identifier: Apache-2.0

import PipelineModel

extension SwiftPrinter {
    func source(_ node: Node, _ context: Context) -> String {
        let (id, numbers) = (node.id, node.numbers)
        let first = numbers.first ?? 0
        switch node.op {
        case .of: return numbers.isEmpty ? "Observable<Int>.of()" : "Observable.of(\(Self.list(numbers)))"
        case .from: return "Observable<Int>.from([\(Self.list(numbers))])"
        case .range: return "Observable.range(start: \(numbers[0]), count: \(numbers[1]))"
        case .just: return "Observable.just(\(first))"
        case .empty: return "Observable<Int>.empty()"
        case .never: return "Observable<Int>.never()"
        case .error: return "Observable<Int>.error(Failure(code: \(first)))"
        case .optional: return "Observable<Int>.from(optional: \(first == 0 ? "nil" : "5"))"
        case .repeatElement: return "Observable.repeatElement(\(first))"
        case .element: return "Observable.just(\(context.element))"
        case .it: return context.it
        case .ref: return first < context.visible ? "shared\(first).asObservable()" : "Observable.just(\(first))"
        case .create:
            let events = numbers.map { number in
                switch number {
                case -1: "observer.onCompleted()"
                case -2: "observer.onError(Failure(code: 5))"
                default: "observer.onNext(\(number))"
                }
            }
            return created("Observable<Int>", id, events, context)
        case .generate:
            let condition = closure(id, "state", "Bool", throwing: 0, "state < \(numbers[0] + numbers[1])")
            let iterate = closure(id, "state", "Int", throwing: numbers[2], "state + 1")
            return "Observable.generate(initialState: \(numbers[0]), condition: \(condition), iterate: \(iterate))"
        case .single:
            let event = first == 0 ? "observer(.success(4))" : "observer(.failure(Failure(code: 6)))"
            return created("Single<Int>", id, Array(repeating: event, count: numbers[1] + 1), context)
                + ".asObservable()"
        case .maybe:
            let event = ["observer(.success(4))", "observer(.completed)", "observer(.error(Failure(code: 6)))"][first]
            return created("Maybe<Int>", id, Array(repeating: event, count: numbers[1] + 1), context)
                + ".asObservable()"
        case .completable:
            let event = first == 0 ? "observer(.completed)" : "observer(.error(Failure(code: 6)))"
            return created("Completable", id, Array(repeating: event, count: numbers[1] + 1), context)
                + ".asObservable().map { (_: Never) -> Int in }"
        case .timer: return "Observable<Int>.timer(.seconds(\(first)), scheduler: scheduler)"
        case .interval:
            return "Observable<Int>.timer(.seconds(\(first)), period: .seconds(\(numbers[1])), scheduler: scheduler)"
        case .cold:
            return "scheduler.createColdObservable([\(recording(numbers))] as [Recorded<Event<Int>>]).asObservable()"
        case .hot:
            return "scheduler.createHotObservable([\(recording(numbers))] as [Recorded<Event<Int>>]).asObservable()"
        case .justOn: return "Observable.just(\(first), scheduler: scheduler)"
        case .ofOn: return "Observable.from([\(Self.list(numbers))], scheduler: scheduler)"
        default: return "/* \(node.op) */"
        }
    }

    private func created(_ type: String, _ id: Int, _ events: [String], _ context: Context) -> String {
        let lines = ["log(\"\(id)m\")"] + events + ["return Disposables.create { log(\"\(id)d\") }"]
        return "\(type).create { observer in\n" + lines.map { context.indent + "    \($0)\n" }.joined() + context.indent
            + "}"
    }

    private func recording(_ numbers: [Int]) -> String {
        var time = 0
        return stride(from: 0, to: numbers.count - 1, by: 2).map { index in
            time += max(1, numbers[index])
            switch numbers[index + 1] {
            case -1: return ".completed(\(time))"
            case -2: return ".error(\(time), Failure(code: 5))"
            default: return ".next(\(time), \(numbers[index + 1]))"
            }
        }.joined(separator: ", ")
    }

    func linear(_ node: Node, _ context: Context) -> String {
        let (id, numbers) = (node.id, node.numbers)
        let first = numbers.first ?? 0
        func test(_ type: String = "Bool", _ result: String? = nil) -> String {
            closure(id, "x", type, throwing: numbers[1], result ?? Self.predicate(first, "x"))
        }
        var accumulator: String {
            let rule = numbers[1]
            let fails = rule > 0 ? "if x & 3 == \(rule - 1) { throw Failure(code: \(10 + rule)) }; " : ""
            return "{ (sum: Int, x: Int) throws -> Int in log(\"\(id)f\\(x)\"); \(fails)return mix(sum, x) }"
        }
        switch node.op {
        case .map:
            let result = ["x + 1", "x * 2 % 1000", "x % 3", "mix(\(context.element), x)", "x"][first]
            return ".map \(test("Int", result))"
        case .filter: return ".filter \(test())"
        case .compactMap: return ".compactMap \(test("Int?", Self.predicate(first, "x") + " ? x + 1 : nil"))"
        case .enumerated: return ".enumerated().map { mix($0.index, $0.element) }"
        case .scan:
            guard first == 1 else { return ".scan(1, accumulator: \(accumulator))" }
            let body = accumulator.replacing("(sum: Int", with: "(sum: inout Int").replacing("-> Int", with: "-> Void")
            return ".scan(into: 1, accumulator: \(body.replacing("return mix(sum, x)", with: "sum = mix(sum, x)")))"
        case .reduce:
            guard first == 1 else { return ".reduce(1, accumulator: \(accumulator))" }
            return
                ".reduce(1, accumulator: \(accumulator), mapResult: \(closure(id, "x", "Int", throwing: 0, "x + 1")))"
        case .toArray: return ".toArray().asObservable().map { $0.reduce(0, mix) }"
        case .take: return ".take(\(first))"
        case .takeLast: return ".takeLast(\(first))"
        case .takeWhile: return ".take(while: \(test()), behavior: \(numbers[2] == 0 ? ".exclusive" : ".inclusive"))"
        case .takeUntilPredicate:
            return ".take(until: \(test()), behavior: \(numbers[2] == 0 ? ".exclusive" : ".inclusive"))"
        case .skip: return ".skip(\(first))"
        case .skipWhile: return ".skip(while: \(test()))"
        case .elementAt: return ".element(at: \(first))"
        case .only: return ".single()"
        case .onlyWhere: return ".single(\(test()))"
        case .first: return ".first().asObservable().map { $0 ?? 77 }"
        case .distinct:
            switch first {
            case 0: return ".distinctUntilChanged()"
            case 1: return ".distinctUntilChanged \(test("Int", "x / 2"))"
            default:
                let rule = numbers[1]
                let fails = rule > 0 ? "if y & 3 == \(rule - 1) { throw Failure(code: \(10 + rule)) }; " : ""
                return ".distinctUntilChanged { (x: Int, y: Int) throws -> Bool in log(\"\(id)f\\(mix(x, y))\"); "
                    + "\(fails)return x >= y }"
            }
        case .ignoreElements: return ".ignoreElements().map { (_: Never) -> Int in }"
        case .startWith: return ".startWith(\(Self.list(numbers)))"
        case .ifEmptyDefault: return ".ifEmpty(default: \(first))"
        case .materialize:
            return ".materialize().map { $0.element ?? ($0.error.map { 500 + code(of: $0) } ?? 500) }"
        case .roundTrip: return ".materialize().dematerialize()"
        case .catchAndReturn: return ".catchAndReturn(\(first))"
        case .retry: return ".retry(\(first))"
        case .asSingle: return ".asSingle().asObservable()"
        case .asMaybe: return ".asMaybe().asObservable()"
        case .asInfallible: return ".asInfallible(onErrorJustReturn: \(first)).asObservable()"
        case .observeOn: return ".observe(on: \(schedulerName(first)))"
        case .subscribeOn: return ".subscribe(on: \(schedulerName(first)))"
        case .probe: return ".probe(\(id))"
        case .doEvents: return doEvents(node)
        case .deferred: return first == 1 ? ".deferredFailing(\(id))" : ".deferred(\(id))"
        case .using: return ".using(\(id), \(first))"
        case .flaky: return ".flaky(\(id), \(first))"
        case .share: return ".share(replay: \(first), scope: \(numbers[1] == 0 ? ".whileConnected" : ".forever"))"
        case .publish: return ".multicast(\(subject(first))).refCount()"
        case .multicast: return ".multicast { \(subject(first)) }.refCount()"
        case .replay: return first == 3 ? ".replayAll().refCount()" : ".replay(\(first)).refCount()"
        case .react:
            let verbs: [Verb] = [.next, .next, .next, .completed, .error, .dispose, .subscribe, .connect]
            let verb = verbs[numbers[1]]
            let step = Step(verb, numbers[2], value: verb == .error ? 4 : numbers[3])
            return ".react(\(id), at: \(first)) { \(statement(step)) }"
        case .delay, .delaySubscription, .debounce: return ".\(node.op)(.seconds(\(first)), scheduler: scheduler)"
        case .throttle: return ".throttle(.seconds(\(first)), latest: \(numbers[1] == 1), scheduler: scheduler)"
        case .timeout: return ".timeout(.seconds(\(first)), scheduler: scheduler)"
        case .buffer:
            return ".buffer(timeSpan: .seconds(\(first)), count: \(numbers[1]), scheduler: scheduler)"
                + ".map { log(\"\(id)f\\($0.count)\"); return $0.reduce(0, mix) }"
        case .takeFor: return ".take(for: .seconds(\(first)), scheduler: scheduler)"
        case .skipFor: return ".skip(.seconds(\(first)), scheduler: scheduler)"
        default: return "/* \(node.op) */"
        }
    }

    private func schedulerName(_ choice: Int) -> String {
        if program.kind == .pressure { return choice % 4 == 3 ? "concurrentScheduler" : "serialScheduler" }
        return [
            "CurrentThreadScheduler.instance", "ImmediateSchedulerStandIn()", "scheduler", "serialScheduler",
            "concurrentScheduler",
        ][choice]
    }

    private func subject(_ choice: Int) -> String {
        [
            "PublishSubject<Int>()", "BehaviorSubject(value: 9)", "ReplaySubject<Int>.create(bufferSize: 2)",
            "AsyncSubject<Int>()",
        ][choice]
    }

    private func doEvents(_ node: Node) -> String {
        let id = node.id
        switch node.numbers[0] {
        case 0:
            return
                ".do(onNext: \(closure(id, "x", "Void", throwing: node.numbers[1], "()").replacing("\(id)f", with: "\(id)n")))"
        case 1: return ".do(onNext: { log(\"\(id)n\\($0)\") }, afterNext: { log(\"\(id)N\\($0)\") })"
        case 2:
            return ".do(onError: { log(\"\(id)e\\(code(of: $0))\") }, afterError: { log(\"\(id)E\\(code(of: $0))\") }, "
                + "onCompleted: { log(\"\(id)c\") }, afterCompleted: { log(\"\(id)C\") })"
        default:
            return ".do(onCompleted: { log(\"\(id)c\") }, onSubscribe: { log(\"\(id)s\") }, "
                + "onSubscribed: { log(\"\(id)S\") }, onDispose: { log(\"\(id)d\") })"
        }
    }

    func combining(_ node: Node, _ context: Context) -> String {
        let inner = context.deeper()
        let sources = node.children.map { expression($0, inner) }
        let separated = sources.joined(separator: ",\n" + inner.indent)
        let isCollection = node.numbers.first == 1
        let log = "log(\"\(node.id)f\\(result)\"); return result"
        let names = ["a", "b", "c"].prefix(sources.count)
        let mixing =
            "{ \(names.joined(separator: ", ")) in let result = [\(names.joined(separator: ", "))].reduce(0, mix); \(log) }"
        func call(_ name: String, _ suffix: String = "") -> String {
            "Observable.\(name)(\n\(inner.indent)\(separated))\(suffix)"
        }
        func collected(_ name: String, _ suffix: String = "") -> String {
            "Observable.\(name)([\n\(inner.indent)\(separated)\n\(context.indent)]\(suffix))"
        }
        func method(_ name: String, _ suffix: String = "") -> String {
            "\(sources[0])\n\(context.indent).\(name)\(sources[1])\(suffix)"
        }
        switch node.op {
        case .merge: return isCollection || sources.count > 2 ? collected("merge") : call("merge")
        case .concat: return isCollection || sources.count > 2 ? collected("concat") : call("concat")
        case .combineLatest, .zip:
            guard isCollection else { return call(node.op.rawValue, " \(mixing)") }
            return collected(
                node.op.rawValue, ", resultSelector: { let result = $0.reduce(0, mix); \(log) }")
        case .amb: return isCollection || sources.count > 2 ? collected("amb") : method("amb(", ")")
        case .catchSequence: return collected("catch").replacing("catch([", with: "catch(sequence: [")
        case .concatWith: return method("concat(", ")")
        case .withLatestFrom: return method("withLatestFrom(", ") \(mixing)")
        case .takeUntil: return method("take(until: ", ")")
        case .skipUntil: return method("skip(until: ", ")")
        case .sample: return method("sample(", isCollection ? ", defaultValue: 8)" : ")")
        case .ifEmptySwitch: return method("ifEmpty(switchTo: ", ")")
        case .andThen: return method("ignoreElements().asCompletable().andThen(", ")")
        case .timeoutOther:
            return method("timeout(.seconds(\(node.numbers[0])), other: ", ", scheduler: scheduler)")
        default: return "/* \(node.op) */"
        }
    }

    func flattening(_ node: Node, _ context: Context) -> String {
        let (id, numbers) = (node.id, node.numbers)
        let source = expression(node.children[0], context) + "\n" + context.indent
        var inner = context.deeper()
        let parameter = "x\(id)"
        var header = "log(\"\(id)m\\(\(parameter))\")"
        if node.op.shape.closure == .observable {
            inner.it = parameter
            header = "log(\"\(id)m\")"
        } else {
            inner.element = parameter
            if node.op != .catchError, let rule = numbers.first, rule > 0 {
                header += "; if \(parameter) & 3 == \(rule - 1) { throw Failure(code: \(10 + rule)) }"
            }
        }
        func closure(_ type: String, _ header: String, _ inner: Context) -> String {
            "{ (\(parameter): \(type)) throws -> Observable<Int> in\n\(inner.indent)\(header)\n\(inner.indent)return "
                + expression(node.children[1], inner) + "\n\(context.indent)}"
        }
        let body = closure(node.op.shape.closure == .observable ? "Observable<Int>" : "Int", header, inner)
        switch node.op {
        case .mergeMap: return source + ".map \(body).merge()"
        case .mergeLimit: return source + ".map \(body).merge(maxConcurrent: \(numbers[1]))"
        case .concatAll: return source + ".map \(body).concat()"
        case .switchLatest: return source + ".map \(body).switchLatest()"
        case .catchError:
            inner.element = "code(of: \(parameter))"
            header = "log(\"\(id)m\\(code(of: \(parameter)))\")" + (numbers[0] == 1 ? "; throw Failure(code: 7)" : "")
            if numbers[0] == 1 {
                return source + ".catch { (\(parameter): any Error) throws -> Observable<Int> in \(header) }"
            }
            return source + ".catch \(closure("any Error", header, inner))"
        case .retryWhen:
            inner.it = "\(parameter).map { code(of: $0) }"
            let body = closure("Observable<any Error>", header, inner).replacing("throws ", with: "")
            return source + ".retry(when: \(body))"
        case .multicastSelector: return source + ".multicast({ \(subject(numbers[0])) }, selector: \(body))"
        case .groupBy:
            inner.it = "\(parameter).asObservable()"
            inner.element = "\(parameter).key"
            let key = self.closure(id, "x", "Int", throwing: 0, "x % \(numbers[0])")
            let body = closure("GroupedObservable<Int, Int>", "log(\"\(id)m\\(\(parameter).key)\")", inner)
            return source + ".groupBy(keySelector: \(key))\n\(context.indent).map \(body)\(flatten(numbers[1]))"
        case .window:
            return source + ".window(timeSpan: .seconds(\(numbers[0])), count: \(numbers[1]), scheduler: scheduler)\n"
                + "\(context.indent).map \(body)\(flatten(numbers[2]))"
        default: return source + ".\(node.op) \(body)"
        }
    }

    private func flatten(_ choice: Int) -> String { [".merge()", ".concat()", ".switchLatest()"][choice] }
}
