// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// Prints a program as a main.swift that compiles against this package and against others of the same API. Its output is the
/// log that the runner writes.
package struct SwiftPrinter {
    let program: Program

    package static func text(_ program: Program) -> String {
        let printer = SwiftPrinter(program: program)
        let body = printer.definitions + printer.pipelines + printer.steps
        let imports = ["RxRelay", "RxSwift", "RxTest"].filter { module in
            switch module {
            case "RxRelay": body.contains("Relay")
            case "RxTest": body.contains("scheduler")
            default: true
            }
        }
        return (imports.map { "import \($0)" } + [""]).joined(separator: "\n") + "\n" + Preamble.needed(by: body) + body
    }

    private var definitions: String {
        program.shared.indices.map { "let shared\($0) = " + definition($0) + "\n" }.joined()
    }

    private func definition(_ index: Int) -> String {
        let node = program.shared[index]
        let number = node.numbers.first ?? 0
        switch node.op {
        case .publishSubject: return "PublishSubject<Int>()"
        case .behaviorSubject: return "BehaviorSubject(value: \(number))"
        case .replaySubject: return "ReplaySubject<Int>.create(bufferSize: \(number))"
        case .asyncSubject: return "AsyncSubject<Int>()"
        case .publishRelay: return "PublishRelay<Int>()"
        case .behaviorRelay: return "BehaviorRelay(value: \(number))"
        case .replayRelay: return "ReplayRelay<Int>.create(bufferSize: \(number))"
        case .connectable:
            let connect = [
                ".publish()", ".multicast(BehaviorSubject(value: 9))", ".replay(2)", ".multicast(AsyncSubject())",
            ][number]
            return expression(node.children[0], Context(visible: index)) + "\n    " + connect
        default: return expression(node, Context(visible: index))
        }
    }

    private var pipelines: String {
        program.mains.indices.map { index in
            "func main\(index)() -> Observable<Int> {\n    "
                + expression(program.mains[index], Context(visible: program.shared.count)) + "\n}\n"
        }.joined()
            + program.mains.indices.map { "var subscriptions\($0): [(number: Int, disposable: any Disposable)] = []\n" }
            .joined()
            + (program.script.contains { $0.verb == .connect } || program.nodes.contains { $0.op == .react }
                ? program.shared.indices.map { "var connection\($0): (any Disposable)?\n" }.joined() : "")
    }

    private var steps: String {
        guard program.kind == .virtual else {
            return program.script.map { statement($0) + "\n" }.joined() + "log(\"0X\")\n" + end("") + "print()\n"
        }
        return program.script.map { "scheduler.scheduleAt(\($0.time)) { \(statement($0)) }\n" }.joined()
            + "scheduler.scheduleAt(500) {\n    log(\"0X\")\n" + end("    ") + "}\nscheduler.start()\nprint()\n"
    }

    private func end(_ indent: String) -> String {
        program.mains.indices.map { "\(indent)for each in subscriptions\($0) { each.disposable.dispose() }\n" }.joined()
            + program.shared.indices.filter { index in
                program.script.contains { $0.verb == .connect && $0.target == index }
            }.map { "\(indent)connection\($0)?.dispose()\n" }.joined()
    }

    /// Returns the Swift code of a step.
    func statement(_ step: Step) -> String {
        let target = "shared\(step.target)"
        let definition = program.shared.indices.contains(step.target) ? program.shared[step.target].op : nil
        let isRelay = [.publishRelay, .behaviorRelay, .replayRelay].contains(definition)
        let isSubject = [.publishSubject, .behaviorSubject, .replaySubject, .asyncSubject].contains(definition)
        switch step.verb {
        case .subscribe:
            guard program.mains.indices.contains(step.target) else { return "" }
            return "observe(main\(step.target)()) { subscriptions\(step.target).append($0) }"
        case .dispose:
            guard program.mains.indices.contains(step.target) else { return "" }
            return
                "if let last = subscriptions\(step.target).last { log(\">\\(last.number)x\"); last.disposable.dispose() }"
        case .next:
            return isRelay ? "\(target).accept(\(step.value))" : isSubject ? "\(target).onNext(\(step.value))" : ""
        case .error: return isSubject ? "\(target).onError(Failure(code: \(step.value)))" : ""
        case .completed: return isSubject ? "\(target).onCompleted()" : ""
        case .connect: return definition == .connectable ? "connection\(step.target) = \(target).connect()" : ""
        case .disconnect:
            return definition == .connectable ? "connection\(step.target)?.dispose()" : ""
        }
    }

    /// The surroundings of an expression.
    struct Context {
        /// The number of shared definitions that can be referred to.
        var visible: Int
        var element = "0"
        var it = "Observable<Int>.empty()"
        var depth = 1

        var indent: String { String(repeating: "    ", count: depth + 1) }

        func deeper() -> Context {
            var result = self
            result.depth += 1
            return result
        }
    }

    func expression(_ node: Node, _ context: Context) -> String {
        if node.op.shape.closure != .none { return flattening(node, context) }
        if node.children.isEmpty { return source(node, context) }
        if node.children.count == 1, node.op.shape.sources == 1...1 {
            return expression(node.children[0], context) + "\n" + context.indent + linear(node, context)
        }
        return combining(node, context)
    }

    /// Returns a closure for the given stage: it logs its call, and throws as the stage's rule says.
    func closure(_ id: Int, _ argument: String, _ type: String, throwing rule: Int, _ result: String) -> String {
        let parameter = argument == "_" ? "" : "\\(\(argument))"
        let fails = rule > 0 ? "if \(argument) & 3 == \(rule - 1) { throw Failure(code: \(10 + rule)) }; " : ""
        return "{ (\(argument): Int) throws -> \(type) in log(\"\(id)f\(parameter)\"); \(fails)return \(result) }"
    }

    static func predicate(_ rule: Int, _ name: String) -> String {
        switch rule {
        case 0: "\(name) % 2 == 0"
        case 1: "\(name) > 2"
        case 2: "\(name) < 3"
        case 3: "true"
        default: "false"
        }
    }

    static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
