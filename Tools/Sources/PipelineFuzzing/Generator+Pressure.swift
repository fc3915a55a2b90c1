// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// Programs whose sources pause (law L13). All sources are finite, so that each program has to end; so there are no `skip(until:)`
/// and `sample`: they do not complete if their sources end in the wrong order, as in RxSwift.
extension Generator {
    mutating func pressed(_ program: inout Program) {
        if chance(0.6) {
            program.shared = [Node(.connectable, [0], [pressedPipeline(1, refers: false)])]
            sharedCount = 1
        }
        let count = sharedCount > 0 && chance(0.5) ? 2 : 1
        program.mains = (0..<count).map { _ in pressedPipeline(levels, refers: sharedCount > 0) }
        program.script = program.mains.indices.map { Step(.subscribe, $0) }
        if sharedCount > 0 { program.script.append(Step(.connect, 0)) }
        if chance(0.25) { program.script.append(Step(.dispose, 0, value: pick(1...40))) }
    }

    /// - Parameter refers: whether sources may be the shared one.
    private mutating func pressedPipeline(_ level: Int, refers: Bool, isInner: Bool = false) -> Node {
        var result = pressedSource(refers: refers, isInner: isInner)
        for _ in 0..<pick(isInner ? 0...2 : 1...4) {
            switch pick(0...9) {
            case 0...3: result = Node(.observeOn, [pick(0...19)], [result])
            case 4, 5: result = pressedLinear(result)
            case 6,
                7 where level > 1:
                result = pressedCombination(result, level, refers: refers)
            case 8,
                9 where level > 1:
                result = pressedFlattening(result, level, refers: refers)
            default: break
            }
        }
        return result
    }

    private mutating func pressedSource(refers: Bool, isInner: Bool) -> Node {
        if refers, chance(0.6) { return Node(.ref, [0]) }
        let range = Node(
            .range, [pick(0...9), isInner ? pick(0...6) : pick(0...3) == 0 ? pick(0...20) : pick(20...90)])
        return chance(0.04) ? Node(.concatWith, [], [range, Node(.error, [pick(1...3)])]) : range
    }

    private mutating func pressedLinear(_ source: Node) -> Node {
        switch pick(0...11) {
        case 0, 1: Node(.map, [pick(0...2), 0], [source])
        case 2: Node(.filter, [pick(0...3), 0], [source])
        case 3: Node(.scan, [pick(0...1), 0], [source])
        case 4, 5: Node(.take, [pick(0...60)], [source])
        case 6, 7: Node(.skip, [pick(0...60)], [source])
        case 8: Node(.takeLast, [pick(0...60)], [source])
        case 9: Node(.share, [pick(0...2), pick(0...1)], [source])
        case 10: Node(.startWith, [pick(0...9)], [source])
        default: chance(0.5) ? Node(.retry, [pick(1...2)], [source]) : Node(.catchAndReturn, [pick(0...9)], [source])
        }
    }

    private mutating func pressedCombination(_ source: Node, _ level: Int, refers: Bool) -> Node {
        let ops: [Operator] = [
            .merge, .merge, .zip, .zip, .zip, .concat, .combineLatest, .amb, .withLatestFrom, .takeUntil,
            .ifEmptySwitch, .catchSequence, .andThen,
        ]
        let op = ops[pick(0...ops.count - 1)]
        var children = (1..<pick(op.shape.sources.lowerBound...op.shape.sources.upperBound)).map { _ in
            pressedPipeline(level - 1, refers: refers)
        }
        children.insert(source, at: pick(0...children.count))
        return Node(op, op.shape.numbers.map { pick($0) }, children)
    }

    private mutating func pressedFlattening(_ source: Node, _ level: Int, refers: Bool) -> Node {
        let ops: [Operator] = [
            .flatMap, .flatMapLatest, .flatMapFirst, .concatMap, .concatMap, .mergeLimit, .mergeLimit, .mergeLimit,
            .mergeMap, .concatAll, .switchLatest, .groupBy,
        ]
        let op = ops[pick(0...ops.count - 1)]
        let source = chance(0.8) ? Node(.take, [pick(10...30)], [source]) : source
        if op == .groupBy {
            var inner = Node(.it)
            if chance(0.6) { inner = Node(.observeOn, [pick(0...19)], [inner]) }
            if chance(0.3) { inner = Node(.take, [pick(0...20)], [inner]) }
            return Node(op, [pick(1...8), pick(0...2)], [source, inner])
        }
        let inner = pressedPipeline(level - 1, refers: refers && chance(0.2), isInner: true)
        return Node(op, op == .mergeLimit ? [0, pick(1...3)] : [0], [source, inner])
    }
}
