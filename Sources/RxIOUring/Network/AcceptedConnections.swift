// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The connections of a listener that are not closed yet. Used from any thread.
///
/// Accepting and closing a connection take the lock once each.
final class AcceptedConnections: @unchecked Sendable {
    private let lock = Mutex()
    /// Protected by the lock.
    @exclusivity(unchecked) private var open: [ObjectIdentifier: ConnectionCore] = [:]
    /// Those that were cut, and are not closed yet, protected by the lock.
    @exclusivity(unchecked) private var beingCut: Set<ObjectIdentifier> = []
    /// The number of connections that were cut since the beginning, protected by the lock.
    @exclusivity(unchecked) private var cutCount = 0
    /// The closures to call once none is open, protected by the lock.
    @exclusivity(unchecked) private var waiting: [() -> Void] = []

    func add(_ core: ConnectionCore) {
        lock.withLock { open[ObjectIdentifier(core)] = core }
    }

    /// Removes a connection that is closed; does nothing if it was removed before.
    func remove(_ core: ConnectionCore) {
        lock.lock()
        let removed = open.removeValue(forKey: ObjectIdentifier(core))
        beingCut.remove(ObjectIdentifier(core))
        var ended: [() -> Void] = []
        if open.isEmpty { swap(&ended, &waiting) }
        lock.unlock()
        withExtendedLifetime(removed) {}
        for body in ended { body() }
    }

    /// Calls `body` once no connection is open: at once, or later on any thread.
    func whenEmpty(_ body: @escaping () -> Void) {
        let isEmpty = lock.withLock {
            if open.isEmpty { return true }
            waiting.append(body)
            return false
        }
        if isEmpty { body() }
    }

    /// Resets the connections that are open.
    func cut() {
        let cores = lock.withLock {
            let new = open.filter { beingCut.insert($0.key).inserted }
            cutCount += new.count
            return new.values
        }
        for core in cores { core.abortSoon() }
    }

    /// The number of connections that were cut since the beginning, and of those of them that are closed.
    var cuts: (count: Int, closed: Int) { lock.withLock { (cutCount, cutCount - beingCut.count) } }
}
