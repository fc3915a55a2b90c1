// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// SplitMix64: the same numbers for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes programs: each seed gives one program.
package struct Generator {
    private var random: SeededGenerator
    private let kind: Kind
    let levels: Int
    /// The number of definitions that `ref` may name.
    var sharedCount = 0

    package static func program(seed: UInt64, kind: Kind, levels: Int) -> Program {
        var generator = Generator(seed: seed, kind: kind, levels: levels)
        return generator.program()
    }

    private init(seed: UInt64, kind: Kind, levels: Int) {
        random = SeededGenerator(seed: seed)
        self.kind = kind
        self.levels = levels
    }

    /// The surroundings of a pipeline.
    private struct Scope {
        var hasElement = false
        var hasObservable = false
    }

    private enum Group {
        case source
        case wrapper
        case linear
        case combining
        case flattening
    }

    private static let groups: [Group: [Operator]] = Dictionary(
        grouping: Operator.allCases.filter { $0.shape.weight > 0 && $0.shape.use != .sharedOnly }
    ) { op in
        let shape = op.shape
        if shape.closure != .none { return .flattening }
        if shape.sources == 0...0 { return .source }
        if shape.sources != 1...1 { return .combining }
        return [.deferred, .using, .flaky].contains(op) ? .wrapper : .linear
    }

    private mutating func program() -> Program {
        var result = Program(kind: kind, shared: [], mains: [], script: [])
        switch kind {
        case .sync: synchronous(&result)
        case .virtual: virtual(&result)
        case .reentrant: reentrant(&result)
        case .threads: threaded(&result)
        case .pressure: pressed(&result)
        }
        return result.numbered()
    }

    private mutating func synchronous(_ program: inout Program) {
        if chance(0.35) {
            program.shared = [sharing()]
            sharedCount = 1
        }
        program.mains = [pipeline(levels, Scope())]
        program.script = [Step(.subscribe, 0)]
        if program.shared.first?.op == .connectable {
            program.script.insert(Step(.connect, 0), at: chance(0.3) ? 0 : 1)
        }
        if chance(0.15) { program.script.append(Step(.subscribe, 0)) }
    }

    private mutating func virtual(_ program: inout Program) {
        if chance(0.35) {
            program.shared = [sharing()]
            sharedCount = 1
        }
        program.mains = [pipeline(levels, Scope())]
        program.script = [Step(.subscribe, 0, time: 10)]
        if program.shared.first?.op == .connectable {
            program.script.append(Step(.connect, 0, time: pick(1...30)))
            if chance(0.3) { program.script.append(Step(.disconnect, 0, time: pick(31...80))) }
        }
        if chance(0.3) { program.script.append(Step(.subscribe, 0, time: pick(10...60))) }
        if chance(0.5) { program.script.append(Step(.dispose, 0, time: pick(20...120))) }
    }

    private mutating func reentrant(_ program: inout Program) {
        for _ in 0..<pick(1...2) {
            let subjects: [Operator] = [
                .publishSubject, .publishSubject, .publishSubject, .behaviorSubject, .replaySubject, .asyncSubject,
                .publishRelay, .behaviorRelay, .replayRelay,
            ]
            let op = subjects.randomElement(using: &random)!
            program.shared.append(Node(op, op.shape.numbers.map { pick($0) }))
        }
        sharedCount = program.shared.count
        if chance(0.3) {
            program.shared.append(sharing())
            sharedCount += 1
        }
        for _ in 0..<pick(1...2) { program.mains.append(pipeline(levels, Scope())) }
        program.script = [Step(.subscribe, 0)]
        for _ in 0..<pick(2...7) {
            let target = pick(0...sharedCount - 1)
            switch pick(0...15) {
            case 0: program.script.append(Step(.completed, target))
            case 1: program.script.append(Step(.error, target, value: 3))
            case 2: program.script.append(Step(.connect, target))
            case 3: program.script.append(Step(.dispose, pick(0...program.mains.count - 1)))
            case 4, 5: program.script.append(Step(.subscribe, pick(0...program.mains.count - 1)))
            default: program.script.append(Step(.next, target, value: pick(0...9)))
            }
        }
    }

    private mutating func threaded(_ program: inout Program) {
        let subjects: [Operator] = [
            .publishSubject, .publishSubject, .publishSubject, .behaviorSubject, .replaySubject, .asyncSubject,
            .publishRelay,
        ]
        for _ in 0..<pick(2...3) {
            let op = subjects.randomElement(using: &random)!
            program.shared.append(Node(op, op.shape.numbers.map { pick($0) }))
        }
        sharedCount = program.shared.count
        let subjectCount = sharedCount
        if chance(0.25) {
            program.shared.append(sharing())
            sharedCount += 1
        }
        for _ in 0..<pick(1...2) {
            program.mains.append(chance(0.4) ? lossless(levels + 1) : pipeline(levels, Scope()))
        }
        program.script = program.mains.indices.map { Step(.subscribe, $0) }
        for subject in 0..<subjectCount {
            program.script.append(Step(.next, subject, value: pick(1...300)))
            if chance(0.15) { program.script.append(Step(chance(0.5) ? .error : .completed, subject)) }
        }
        for _ in 0..<pick(0...3) {
            program.script.append(Step(chance(0.6) ? .subscribe : .dispose, pick(0...program.mains.count - 1)))
        }
    }

    /// Returns a pipeline that drops nothing.
    private mutating func lossless(_ level: Int) -> Node {
        guard level > 0 else { return Node(.ref, [pick(0...1)]) }
        switch pick(0...5) {
        case 0, 1: return Node(.merge, [pick(0...1)], [lossless(level - 1), lossless(level - 1)])
        case 2, 3: return Node(.observeOn, [pick(3...4)], [lossless(level - 1)])
        default: return Node(.probe, [], [lossless(level - 1)])
        }
    }

    /// Returns a definition that several subscribers share.
    private mutating func sharing() -> Node {
        let ops: [Operator] = [.share, .share, .publish, .replay, .multicast, .connectable, .connectable]
        let op = ops.randomElement(using: &random)!
        return Node(op, op.shape.numbers.map { pick($0) }, [pipeline(1, Scope())])
    }

    private mutating func pipeline(_ level: Int, _ scope: Scope) -> Node {
        var result = level > 1 && chance(0.35) ? combine(nil, level, scope) : source(scope)
        if chance(0.12) { result = wrap(pickOperator(.wrapper), result) }
        for _ in 0..<pick(0...(level == levels ? 3 : 2)) {
            if level > 1, chance(0.5) {
                result = chance(0.55) ? flatten(result, level, scope) : combine(result, level, scope)
            } else {
                result = wrap(pickOperator(.linear), result)
            }
        }
        return result
    }

    private mutating func source(_ scope: Scope) -> Node {
        if scope.hasObservable, chance(0.6) { return Node(.it) }
        if scope.hasElement, chance(0.2) { return Node(.element, [0]) }
        if sharedCount > 0, chance(kind == .reentrant || kind == .threads ? 0.7 : 0.3) {
            return Node(.ref, [pick(0...sharedCount - 1)])
        }
        let op = pickOperator(.source)
        if op == .repeatElement { return Node(.take, [pick(1...3)], [Node(op, [pick(0...9)])]) }
        var numbers = op.shape.numbers.map { pick($0) }
        switch op {
        case .cold, .hot: numbers = recording(isHot: op == .hot)
        // Makes more elements than terminal events.
        case .create:
            numbers = (0..<pick(0...4)).map { _ in pick(0...9) }
            if chance(0.8) { numbers.append(pick(-2...(-1))) }
            if chance(0.15) { numbers.append(pick(-2...9)) }
        default:
            if let list = op.shape.list { numbers += (0..<pick(list.count)).map { _ in pick(list.each) } }
        }
        return Node(op, numbers)
    }

    /// Returns pairs of a time span and an event.
    private mutating func recording(isHot: Bool) -> [Int] {
        var result: [Int] = []
        for _ in 0..<pick(0...5) { result += [pick(1...(isHot ? 20 : 12)), pick(0...9)] }
        if chance(0.75) { result += [pick(1...20), chance(0.7) ? -1 : -2] }
        return result
    }

    private mutating func wrap(_ op: Operator, _ source: Node) -> Node {
        var numbers = numbers(of: op)
        if let list = op.shape.list { numbers += (0..<pick(list.count)).map { _ in pick(list.each) } }
        return Node(op, numbers, [source])
    }

    private mutating func combine(_ source: Node?, _ level: Int, _ scope: Scope) -> Node {
        let op = pickOperator(.combining)
        var children = (0..<pick(op.shape.sources)).map { _ in pipeline(level - 1, scope) }
        if let source { children[pick(0...children.count - 1)] = source }
        return Node(op, numbers(of: op), children)
    }

    private mutating func flatten(_ source: Node, _ level: Int, _ scope: Scope) -> Node {
        let op = pickOperator(.flattening)
        var scope = scope
        if op.shape.closure == .observable { scope.hasObservable = true } else { scope.hasElement = true }
        if op == .groupBy { scope.hasElement = true }
        var inner = pipeline(level - 1, scope)
        // Otherwise nearly every program with this operator would be endless.
        if op == .retryWhen, chance(0.7) { inner = Node(.take, [pick(1...3)], [inner]) }
        return Node(op, numbers(of: op), [source, inner])
    }

    /// Returns numbers for an operator. Closures throw rarely: a program in which much fails shows little.
    private mutating func numbers(of op: Operator) -> [Int] {
        op.shape.numbers.enumerated().map { index, range in
            if [.observeOn, .subscribeOn].contains(op), kind == .virtual, chance(0.7) { return 2 }
            if [.observeOn, .subscribeOn].contains(op), kind == .threads, chance(0.8) { return pick(3...4) }
            if range == 0...4, op.shape.numbers.count > 1 ? index == 1 : op == .flatMap, chance(0.75) { return 0 }
            return pick(range)
        }
    }

    private mutating func pickOperator(_ group: Group) -> Operator {
        let candidates = Self.groups[group]!.filter { op in
            // All subscriptions share the counter of `flaky`.
            switch op.shape.use {
            case .everywhere: op != .flaky || kind != .threads
            case .virtualTime: kind == .virtual
            case .callbacks: kind == .reentrant
            case .sharedOnly: false
            }
        }
        // Most operators of a program in virtual time should depend on time.
        func weight(_ op: Operator) -> Int { op.shape.weight * (op.shape.use == .virtualTime ? 4 : 1) }
        var rest = pick(0...candidates.reduce(0) { $0 + weight($1) } - 1)
        for op in candidates {
            rest -= weight(op)
            if rest < 0 { return op }
        }
        return candidates[0]
    }

    mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }
}
