// SPDX-License-Identifier: Apache-2.0

/// An action of the script on the program's pipelines, from outside.
public enum Verb: String, CaseIterable, Sendable {
    /// Subscribes to the main pipeline of the given index.
    case subscribe = "s"
    /// Disposes of the last subscription to the main pipeline of the given index.
    ///
    /// With several threads: once it has received so many elements as the step's value says.
    case dispose = "d"
    /// Sends an element to the shared definition of the given index, a subject or relay.
    case next = "n"
    case error = "e"
    case completed = "c"
    /// Connects the shared definition of the given index.
    case connect = "k"
    /// Disposes of the connection of the shared definition of the given index.
    case disconnect = "q"
}

/// One step of a script.
public struct Step: Hashable, Sendable, CustomStringConvertible {
    public var verb: Verb
    public var target: Int
    public var value: Int
    /// The virtual time of the step, in programs that have one.
    public var time: Int

    public init(_ verb: Verb, _ target: Int, value: Int = 0, time: Int = 0) {
        self.verb = verb
        self.target = target
        self.value = value
        self.time = time
    }

    public var description: String {
        "\(verb.rawValue)\(target)" + (value == 0 ? "" : ":\(value)") + (time == 0 ? "" : "@\(time)")
    }
}

public enum Kind: String, CaseIterable, Sendable {
    /// Programs with synchronous sources on one thread.
    case sync
    /// Programs that run in virtual time.
    case virtual
    /// Programs with events, subscriptions and disposals from inside callbacks.
    case reentrant
    /// Programs whose subjects are driven by several threads.
    case threads
    /// Programs whose sources run on schedulers and pause, behind hops that few elements fill.
    case pressure
}

extension Kind {
    /// True if the order of events differs from run to run.
    public var hasThreads: Bool { self == .threads || self == .pressure }
}

/// Pipelines and a script of the steps that drive them.
public struct Program: Hashable, Sendable {
    public var kind: Kind
    /// The definitions that are made once and referred to by index: subjects, shared pipelines.
    public var shared: [Node]
    /// The pipelines that the script subscribes to.
    public var mains: [Node]
    public var script: [Step]

    public init(kind: Kind, shared: [Node], mains: [Node], script: [Step]) {
        self.kind = kind
        self.shared = shared
        self.mains = mains
        self.script = script
    }

    /// Returns the same program, its stages numbered from 1.
    public func numbered() -> Program {
        var result = self
        var next = 1
        for index in result.shared.indices { result.shared[index].number(from: &next) }
        for index in result.mains.indices { result.mains[index].number(from: &next) }
        return result
    }

    public var nodes: [Node] { shared.flatMap(\.all) + mains.flatMap(\.all) }
    public var size: Int { (shared + mains).reduce(script.count) { $0 + $1.count } }
}

extension Program: CustomStringConvertible {
    /// The program in one line: the kind, the shared definitions, the main pipelines, the script.
    public var description: String {
        [
            kind.rawValue, shared.map(\.description).joined(separator: " "),
            mains.map(\.description).joined(separator: " "), script.map(\.description).joined(separator: " "),
        ].joined(separator: " | ")
    }
}
