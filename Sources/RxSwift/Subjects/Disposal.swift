import RxPrimitives

/// Whether something was disposed of: false once, then true for ever. From any thread.
@usableFromInline
package struct Disposal: ~Copyable {
    private let word = AtomicWord(0)

    @usableFromInline
    package init() {}

    package var isDisposed: Bool { word.loadRelaxed() != 0 }

    /// Returns true to the first caller only.
    package func dispose() -> Bool { word.exchange(1) == 0 }
}
