// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A source whose terminal event makes its stage subscribe to another one, until that has been done.
///
/// It ends when the other one was subscribed to, so that what both share is not started anew, or when the stage is cancelled before
/// (law L11).
struct EndingSource: ~Copyable {
    /// 0, or the address of the source's stage, retained. The thread that takes it out releases it.
    private let stage = AtomicWord(0)

    /// Keeps a source until `cancel`. Called at most once; the same thread calls `cancel` later.
    func keep(_ source: Stage?) {
        guard let source else { return }
        // Releasing: paired with the exchange in `cancel`.
        _ = stage.exchange(UInt(bitPattern: Unmanaged.passRetained(source).toOpaque()))
    }

    /// Cancels the source if it is kept; any thread may call this.
    func cancel() {
        if stage.loadRelaxed() == 0 { return }
        let address = stage.exchange(0)
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
        Unmanaged<Stage>.fromOpaque(pointer).takeRetainedValue().cancel()
    }
}
