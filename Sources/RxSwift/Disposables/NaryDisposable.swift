// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that stands for two others.
final class BinaryDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// 0: not disposed of; 1: disposed of, for ever.
    private let state = AtomicWord(0)

    // Only the thread that sets `state` accesses these fields.
    private var first: (any Disposable)?
    private var second: (any Disposable)?

    init(_ first: any Disposable, _ second: any Disposable) {
        self.first = first
        self.second = second
        super.init()
    }

    var isDisposed: Bool { state.loadAcquiring() != 0 }

    func dispose() {
        guard state.loadRelaxed() == 0, state.exchange(1) == 0 else { return }
        disposeOfFirst()
        disposeOfSecond()
    }

    // Not inlined: disposals nest as deep as chains are long, so only one of the two shall be on the stack (law L8).

    @inline(never)
    private func disposeOfFirst() { first.take()?.dispose() }

    @inline(never)
    private func disposeOfSecond() { second.take()?.dispose() }
}

/// A disposable that stands for any number of others.
final class NaryDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// 0: not disposed of; 1: disposed of, for ever.
    private let state = AtomicWord(0)

    /// The disposables. Only the thread that sets `state` accesses them.
    private var disposables: [any Disposable]

    init(_ disposables: [any Disposable]) {
        self.disposables = disposables
        super.init()
    }

    var isDisposed: Bool { state.loadAcquiring() != 0 }

    func dispose() {
        guard state.loadRelaxed() == 0, state.exchange(1) == 0 else { return }
        let disposables = self.disposables
        self.disposables = []
        for disposable in disposables { disposable.dispose() }
    }
}
