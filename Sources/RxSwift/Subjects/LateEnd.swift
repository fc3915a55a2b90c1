// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The first terminal event that a subject gets after it was disposed of. Any thread may use it.
@usableFromInline
struct LateEnd: ~Copyable {
    /// 0, or the address of a retained `Storage`, which is made for the first event.
    private let word = AtomicWord(0)

    private final class Storage: Sendable {
        let lock = Mutex()
        /// An error, or nil within for completion; under the lock.
        nonisolated(unsafe) var event: (any Swift.Error)??
    }

    @usableFromInline
    init() {}

    deinit {
        let word = word.loadRelaxed()
        if word != 0 { LateEnd.unmanaged(word).release() }
    }

    /// - Parameter error: nil if the event is completion.
    func accept(_ error: (any Swift.Error)?) {
        let storage = storage ?? makeStorage()
        storage.lock.withLock {
            if storage.event == nil { storage.event = .some(error) }
        }
    }

    /// Forgets the event, since the subject is disposed of once more.
    func clear() {
        guard let storage else { return }
        // Released when the lock is not held any more.
        let forgotten = storage.lock.withLock { storage.event.take() }
        withExtendedLifetime(forgotten) {}
    }

    /// The event: an error, or nil within for completion. Nil if there was none.
    var event: (any Swift.Error)?? {
        guard let storage else { return nil }
        return storage.lock.withLock { storage.event }
    }

    private var storage: Storage? {
        // Acquiring: paired with the compare-exchange in `makeStorage`.
        let word = word.loadAcquiring()
        return word == 0 ? nil : LateEnd.unmanaged(word).takeUnretainedValue()
    }

    private func makeStorage() -> Storage {
        let made = Unmanaged.passRetained(Storage())
        // Releasing: paired with the load in `storage`.
        if word.compareExchange(0, UInt(bitPattern: made.toOpaque())) { return made.takeUnretainedValue() }
        made.release()
        return storage!
    }

    private static func unmanaged(_ word: UInt) -> Unmanaged<Storage> {
        .fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
    }
}
