// SPDX-License-Identifier: Apache-2.0

/// The objects to be told of an event, in the order in which they were added. Used on one thread at a time.
///
/// Adding and removing cost a look-up in a dictionary; the order costs a sort whenever it is asked for.
struct ObserverList<Observer> {
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var added: UInt = 0

    private struct Entry {
        let number: UInt
        let observer: Observer
    }

    var isEmpty: Bool { entries.isEmpty }

    /// The observers in their order.
    var all: [Observer] { inOrder.map(\.value.observer) }

    /// The identities of the observers in their order.
    var identities: [ObjectIdentifier] { inOrder.map(\.key) }

    private var inOrder: [(key: ObjectIdentifier, value: Entry)] {
        entries.sorted { $0.value.number < $1.value.number }
    }

    mutating func add(_ observer: Observer, _ identity: ObjectIdentifier) {
        added += 1
        entries[identity] = Entry(number: added, observer: observer)
    }

    /// Removes an observer; returns nil if it is not in the list.
    @discardableResult
    mutating func remove(_ identity: ObjectIdentifier) -> Observer? { entries.removeValue(forKey: identity)?.observer }
}
