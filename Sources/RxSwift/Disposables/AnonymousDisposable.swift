// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that runs a closure once.
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// 0: not disposed of; 1: disposed of, for ever.
    private let state = AtomicWord(0)

    /// The closure. Only the thread that sets `state` accesses it.
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
        self.action = action
        super.init()
    }

    var isDisposed: Bool { state.loadAcquiring() != 0 }

    func dispose() {
        guard state.loadRelaxed() == 0, state.exchange(1) == 0 else { return }
        // The field is cleared first: the closure may hold this object, and may dispose of it again.
        let action = self.action
        self.action = nil
        action?()
    }
}
