// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// The subject and the 12 stages again with elements that are counted references or do not fit a register, so that no row is won by
/// code for `Int`.
extension Row {
    static var elements: [Row] {
        elements(
            "String", make: { "value number \($0), too long for a small string" }, weight: { $0.utf8.count },
            change: { $0.isEmpty ? "never" : $0 }, keep: { !$0.isEmpty })
            + elements(
                "class", make: { Node($0) }, weight: { $0.number },
                change: { $0.number < 0 ? $0.other : $0 }, keep: { $0.number >= 0 })
            + elements(
                "struct64", make: { Block($0) }, weight: { $0.first &+ $0.last },
                change: { $0.moved }, keep: { $0.first >= 0 })
    }

    /// Returns the rows of one element type. Inlined, so that each is compiled for its type as it would be in a user's module.
    @inline(__always)
    private static func elements<Element>(
        _ type: String,
        make: (Int) -> Element,
        weight: @escaping (Element) -> Int,
        change: @escaping (Element) -> Element,
        keep: @escaping (Element) -> Bool
    ) -> [Row] {
        // The elements are made beforehand: the row measures how they are passed on.
        let values = (0..<64).map(make)
        let changed = values.map { (0..<6).reduce($0) { value, _ in change(value) } }
        func total(_ values: [Element], _ events: Int) -> Int {
            (0..<events).reduce(0) { $0 &+ weight(values[$1 & 63]) }
        }
        return [
            Row(
                .elements, "PublishSubject.1to1.\(type)", vs: "OpenCombine PassthroughSubject", bar: 4,
                events: 100_000,
                expected: { total(values, $0) },
                ours: { events in
                    let sum = Sum()
                    let subject = PublishSubject<Element>()
                    let subscription = subject.subscribe(onNext: { sum.value &+= weight($0) })
                    for index in 0..<events {
                        subject.on(.next(values[index & 63]))
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: { events in
                    let sum = Sum()
                    let subject = PassthroughSubject<Element, Never>()
                    let subscription = subject.sink { sum.value &+= weight($0) }
                    for index in 0..<events {
                        subject.send(values[index & 63])
                    }
                    subscription.cancel()
                    return sum.value
                }),
            Row(
                .elements, "PublishSubject.12stages.\(type)", vs: "OpenCombine, 12 stages", bar: 3,
                events: 50_000,
                expected: { total(changed, $0) },
                ours: { events in
                    let sum = Sum()
                    let subject = PublishSubject<Element>()
                    let four = subject.map(change).filter(keep).map(change).filter(keep)
                    let eight = four.map(change).filter(keep).map(change).filter(keep)
                    let twelve = eight.map(change).filter(keep).map(change).filter(keep)
                    let subscription = twelve.subscribe(onNext: { sum.value &+= weight($0) })
                    for index in 0..<events {
                        subject.on(.next(values[index & 63]))
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: { events in
                    let sum = Sum()
                    let subject = PassthroughSubject<Element, Never>()
                    let four = subject.map(change).filter(keep).map(change).filter(keep)
                    let eight = four.map(change).filter(keep).map(change).filter(keep)
                    let twelve = eight.map(change).filter(keep).map(change).filter(keep)
                    let subscription = twelve.sink { sum.value &+= weight($0) }
                    for index in 0..<events {
                        subject.send(values[index & 63])
                    }
                    subscription.cancel()
                    return sum.value
                }),
        ]
    }
}

private final class Node {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    /// A different node: the map of the class rows would return it for a node that does not occur.
    var other: Node { Node(0) }
}

/// An element of 64 bytes: eight words.
private struct Block {
    var first: Int
    var words: (Int, Int, Int, Int, Int, Int) = (1, 2, 3, 4, 5, 6)
    var last: Int

    init(_ number: Int) {
        first = number
        last = -number
    }

    var moved: Block {
        var block = self
        block.last &+= 1
        return block
    }
}
