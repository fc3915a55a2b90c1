// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel

/// Makes a failing program smaller while it fails.
package struct Shrinker {
    /// Tells which of the programs still fail.
    private let failing: ([Program]) -> [Bool]
    /// The time at which to stop and keep the smallest program so far. Candidates that hang take their time.
    private let end: Date
    /// The number of candidates that run at once.
    private let batch: Int

    /// - Parameter isSlow: true if a failing candidate takes long, because it hangs.
    package init(isSlow: Bool = false, failing: @escaping ([Program]) -> [Bool]) {
        end = Date(timeIntervalSinceNow: isSlow ? 60 : 20)
        batch = isSlow ? 2 : 32
        self.failing = failing
    }

    package func shrink(_ program: Program) -> Program {
        var best = program
        var rounds = 0
        while rounds < 200, end > Date() {
            rounds += 1
            let candidates = Array(Set(Self.candidates(best))).map { $0.numbered() }
                .filter { Self.weight($0) < Self.weight(best) }
                .sorted { (Self.weight($0), $0.description) < (Self.weight($1), $1.description) }
            guard let smaller = firstFailing(candidates) else { return best }
            best = smaller
        }
        return best
    }

    private func firstFailing(_ candidates: [Program]) -> Program? {
        var rest = candidates[...]
        while !rest.isEmpty, end > Date() {
            let candidates = Array(rest.prefix(batch))
            rest = rest.dropFirst(batch)
            for (candidate, fails) in zip(candidates, failing(candidates)) where fails { return candidate }
        }
        return nil
    }

    /// Returns the size of a program: stages count most, then the values of numbers.
    private static func weight(_ program: Program) -> Int {
        let numbers = program.nodes.reduce(0) { sum, node in
            sum + node.numbers.count * 12 + node.numbers.reduce(0) { $0 + min(abs($1), 11) }
                + (simplest.contains(node.op) ? 0 : 3)
        }
        return program.nodes.count * 1000 + program.script.count * 300 + numbers
            + program.script.reduce(0) { $0 + $1.value + $1.time }
    }

    private static let simplest: Set<Operator> = [
        .of, .just, .empty, .error, .map, .merge, .ref, .publishSubject, .probe,
    ]

    private static func candidates(_ program: Program) -> [Program] {
        var result: [Program] = []
        for index in program.shared.indices {
            var without = program
            let definition = without.shared.remove(at: index)
            without.mains = without.mains.map { replaceReferences($0, to: index, by: definition) }
            without.shared = without.shared.map { replaceReferences($0, to: index, by: definition) }
            without.script = without.script.compactMap { step in
                guard ![.subscribe, .dispose].contains(step.verb) else { return step }
                guard step.target != index else { return nil }
                var step = step
                if step.target > index { step.target -= 1 }
                return step
            }
            result.append(without)
            for smaller in variants(program.shared[index], isDefinition: true) {
                var next = program
                next.shared[index] = smaller
                result.append(next)
            }
        }
        for index in program.mains.indices {
            if program.mains.count > 1 {
                var without = program
                without.mains.remove(at: index)
                without.script = without.script.compactMap { step in
                    guard [.subscribe, .dispose].contains(step.verb) else { return step }
                    guard step.target != index else { return nil }
                    var step = step
                    if step.target > index { step.target -= 1 }
                    return step
                }
                result.append(without)
            }
            for smaller in variants(program.mains[index], isDefinition: false) {
                var next = program
                next.mains[index] = smaller
                result.append(next)
            }
        }
        for index in program.script.indices {
            var next = program
            next.script.remove(at: index)
            result.append(next)
            for (value, time) in [(0, 0), (program.script[index].value, program.script[index].time / 2)] {
                next = program
                if program.script[index].value > 0 { next.script[index].value = value }
                next.script[index].time = max(program.kind == .virtual ? 1 : 0, time)
                result.append(next)
            }
        }
        return result
    }

    private static func replaceReferences(_ node: Node, to index: Int, by definition: Node) -> Node {
        if node.op == .ref {
            if node.numbers[0] == index {
                return definition.op.shape.use == .sharedOnly ? Node(.of, [1, 2]) : definition
            }
            return node.numbers[0] > index ? Node(.ref, [node.numbers[0] - 1]) : node
        }
        var result = node
        result.children = node.children.map { replaceReferences($0, to: index, by: definition) }
        return result
    }

    /// Returns the variants of the pipeline with one thing made smaller.
    private static func variants(_ node: Node, isDefinition: Bool) -> [Node] {
        var result: [Node] = []
        if !isDefinition {
            result += node.children
            if !node.children.isEmpty || !simplest.contains(node.op) {
                result += [Node(.just, [1]), Node(.of, [1, 2]), Node(.empty), Node(.never), Node(.error, [1])]
            }
            if node.op.shape.sources == 1...1, node.op.shape.closure == .none {
                result += [Node(.map, [0, 0], node.children), Node(.probe, [], node.children)]
            }
        }
        let shape = node.op.shape
        for index in node.numbers.indices {
            let lowest = index < shape.numbers.count ? shape.numbers[index].lowerBound : 0
            let pairs = [.cold, .hot].contains(node.op)
            if index >= shape.numbers.count,
                node.numbers.count > shape.numbers.count + (shape.list?.count.lowerBound ?? 0)
            {
                var next = node
                next.numbers.remove(at: index)
                if pairs {
                    guard index % 2 == 0 else { continue }
                    next.numbers.remove(at: index)
                }
                result.append(next)
            }
            for value in [lowest, node.numbers[index] / 2, node.numbers[index] - 1]
            where value >= lowest && value < node.numbers[index] {
                var next = node
                next.numbers[index] = value
                result.append(next)
            }
        }
        let closures = shape.closure == .none ? 0 : 1
        for index in node.children.indices {
            if node.children.count - closures > shape.sources.lowerBound, index < node.children.count - closures {
                var next = node
                next.children.remove(at: index)
                result.append(next)
            }
            for smaller in variants(node.children[index], isDefinition: false) {
                var next = node
                next.children[index] = smaller
                result.append(next)
            }
        }
        return result
    }
}
