// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The first terminal event that a subject gets after it was disposed of. Any thread may use it.
@usableFromInline
struct LateEnd: ~Copyable {
    /// `none`, `completed`, or the address of a retained `Failure`.
    private let word = AtomicWord(LateEnd.none)

    private static var none: UInt { 0 }
    private static var completed: UInt { 1 }

    private final class Failure: Sendable {
        let error: any Swift.Error

        init(_ error: any Swift.Error) { self.error = error }
    }

    @usableFromInline
    init() {}

    deinit {
        let word = word.loadRelaxed()
        if word > LateEnd.completed { LateEnd.failure(word).release() }
    }

    /// - Parameter error: nil if the event is completion.
    func accept(_ error: (any Swift.Error)?) {
        guard let error else {
            _ = word.compareExchange(LateEnd.none, LateEnd.completed)
            return
        }
        let failure = Unmanaged.passRetained(Failure(error))
        // Releasing: paired with the load in `event`.
        if !word.compareExchange(LateEnd.none, UInt(bitPattern: failure.toOpaque())) { failure.release() }
    }

    /// The event: an error, or nil within for completion. Nil if there was none.
    var event: (any Swift.Error)?? {
        // Acquiring: paired with the compare-exchange in `accept`.
        switch word.loadAcquiring() {
        case LateEnd.none: nil
        case LateEnd.completed: .some(nil)
        case let word: LateEnd.failure(word)._withUnsafeGuaranteedRef { $0.error }
        }
    }

    private static func failure(_ word: UInt) -> Unmanaged<Failure> {
        .fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
    }
}
