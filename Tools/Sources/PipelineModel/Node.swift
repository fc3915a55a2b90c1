// SPDX-License-Identifier: Apache-2.0

/// A stage of a pipeline: an operator, its numbers, its sources, and the pipeline that its closure returns.
public struct Node: Hashable, Sendable {
    public var op: Operator
    public var numbers: [Int]
    public var children: [Node]
    /// The position in the program, counted in preorder. The log names stages by it. Zero until `Program.numbered()`.
    public var id = 0

    public init(_ op: Operator, _ numbers: [Int] = [], _ children: [Node] = []) {
        self.op = op
        self.numbers = numbers
        self.children = children
    }

    /// The stages of this pipeline, this one first.
    public var all: [Node] { [self] + children.flatMap(\.all) }

    public var count: Int { children.reduce(1) { $0 + $1.count } }

    public mutating func number(from next: inout Int) {
        id = next
        next += 1
        for index in children.indices { children[index].number(from: &next) }
    }
}

extension Node: CustomStringConvertible {
    public var description: String {
        let parts = [op.rawValue] + numbers.map(String.init) + children.map(\.description)
        return "(" + parts.joined(separator: " ") + ")"
    }
}
