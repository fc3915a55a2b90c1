// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import RxPrimitives

// Threads: everything from any thread.

/// The dependents that a loop is to ask again what they have to send, while it ends.
final class RecalledDependents: @unchecked Sendable {
    private let lock = Mutex()
    /// In the order of the calls, each once: a simulated run has to repeat.
    @exclusivity(unchecked) private var dependents: [any LoopDependent] = []
    @exclusivity(unchecked) private var known: Set<ObjectIdentifier> = []
    @exclusivity(unchecked) private var isClosed = false

    /// Returns false if the loop does not ask any more.
    func add(_ dependent: any LoopDependent) -> Bool {
        lock.withLock {
            if !isClosed, known.insert(ObjectIdentifier(dependent)).inserted { dependents.append(dependent) }
            return !isClosed
        }
    }

    func take() -> [any LoopDependent] {
        lock.withLock {
            let taken = dependents
            dependents = []
            known = []
            return taken
        }
    }

    func close() {
        lock.withLock { isClosed = true }
        _ = take()
    }
}

extension EventLoop {
    /// Has a loop that ends ask a dependent again what it has to send. On any thread, behind the submission that such a loop rejects.
    func recall(_ dependent: any LoopDependent) {
        // A forked process has no loop thread that could ask.
        if !isEndingSoon || rx_forks() != forks { return }
        if recalled.add(dependent) { backend.interrupt() }
    }
}
