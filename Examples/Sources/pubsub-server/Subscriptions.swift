// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// The topics that a client is subscribed to.
///
/// Changed on the client's loop. Disposed of on any thread, as when the server ends: hence the composite.
final class Subscriptions: Disposable {
    private let all = CompositeDisposable()
    private var keys: [String: CompositeDisposable.DisposeKey] = [:]
    private let statistics: Statistics

    init(statistics: Statistics) {
        self.statistics = statistics
        statistics.connections.count()
    }

    var count: Int { keys.count }

    /// Returns false if the client is subscribed to the topic already.
    func add(_ topic: String, _ subscribe: () -> any Disposable) -> Bool {
        if keys[topic] != nil { return false }
        // No key: the composite was disposed of meanwhile, and the new subscription with it.
        if let key = all.insert(subscribe()) { keys[topic] = key }
        return true
    }

    /// Returns false if the client is not subscribed to the topic.
    func remove(_ topic: String) -> Bool {
        guard let key = keys.removeValue(forKey: topic) else { return false }
        all.remove(for: key)
        return true
    }

    func dispose() {
        all.dispose()
        statistics.connections.count(-1)
    }
}
