// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The groups by key, in order of first appearance.
///
/// Open addressing with linear probing (Knuth, TAOCP 3, section 6.4, algorithm L) over the indices of the groups. Written for
/// generic code that is not specialized, where `Dictionary` costs several look-ups of type metadata per access; and it keeps the
/// order. The user's `hash(into:)` and `==` run while nothing of the table is being changed. One thread at a time may use it;
/// groups are only ever added.
final class GroupTable<Key: Hashable> {
    /// A group, retained, and the hash of its key.
    private struct Entry {
        let group: Unmanaged<SubjectListCore>
        let hash: Int
    }

    private var keys: UnsafeMutablePointer<Key>
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity: Int
    private(set) var count = 0

    /// Indices of groups, or -1. Twice as many as `capacity`, a power of two.
    private var slots: UnsafeMutablePointer<Int32>

    init() {
        capacity = 8
        keys = .allocate(capacity: capacity)
        entries = .allocate(capacity: capacity)
        slots = .allocate(capacity: capacity * 2)
        slots.initialize(repeating: -1, count: capacity * 2)
    }

    deinit {
        for index in 0..<count { entries[index].group.release() }
        keys.deinitialize(count: count)
        keys.deallocate()
        entries.deallocate()
        slots.deallocate()
    }

    /// Returns the group of a key, if there is one, in amortized O(1).
    ///
    /// - Parameter hash: the key's hash value.
    func group(of key: Key, hash: Int) -> Unmanaged<SubjectListCore>? {
        let mask = capacity * 2 - 1
        var slot = hash & mask
        while true {
            let index = Int(slots[slot])
            if index < 0 { return nil }
            if entries[index].hash == hash, withBorrowed(keys + index, to: { $0 == key }) {
                return entries[index].group
            }
            slot = (slot + 1) & mask
        }
    }

    /// Adds the group of a key that has none. Runs no code of the key's type.
    func add(_ group: SubjectListCore, for key: Key, hash: Int) {
        if count == capacity { grow() }
        (keys + count).initialize(to: key)
        (entries + count).initialize(to: Entry(group: .passRetained(group), hash: hash))
        place(count)
        count += 1
    }

    /// Returns a group by its number in order of first appearance.
    func group(at index: Int) -> Unmanaged<SubjectListCore> { entries[index].group }

    private func place(_ index: Int) {
        let mask = capacity * 2 - 1
        var slot = entries[index].hash & mask
        while slots[slot] >= 0 { slot = (slot + 1) & mask }
        slots[slot] = Int32(index)
    }

    private func grow() {
        if capacity > Int(Int32.max) / 2 { fatalError("groupBy: more than \(capacity) groups") }
        let oldKeys = keys
        let oldEntries = entries
        keys = .allocate(capacity: capacity * 2)
        keys.moveInitialize(from: oldKeys, count: count)
        entries = .allocate(capacity: capacity * 2)
        entries.moveInitialize(from: oldEntries, count: count)
        oldKeys.deallocate()
        oldEntries.deallocate()
        slots.deallocate()
        capacity *= 2
        slots = .allocate(capacity: capacity * 2)
        slots.initialize(repeating: -1, count: capacity * 2)
        for index in 0..<count { place(index) }
    }
}
