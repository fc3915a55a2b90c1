// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The names that are in use, up to a number. May be used from any thread.
final class NameLimit: Sendable {
    private let names = Mutex<Set<String>>([])
    private let most: Int

    init(_ most: Int) { self.most = most }

    /// Returns false if the name is new, and there is no room for it.
    func admit(_ name: String) -> Bool {
        names.withLock { names in
            if names.count >= most { return names.contains(name) }
            names.insert(name)
            return true
        }
    }

    func remove(_ name: String) {
        names.withLock { _ = $0.remove(name) }
    }
}
