/// A sequence that does not fail: `next* completed?`.
///
/// An observable of which the type says so, with no other rules about threads or sharing.
public struct Infallible<Element>: InfallibleType {
    @usableFromInline package let source: Observable<Element>

    /// - Parameter raw: a sequence that never sends an error.
    @inlinable
    package init(raw: Observable<Element>) {
        source = raw
    }

    /// The sequence as an observable without the promise.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// A type that can be turned into a sequence that does not fail.
public protocol InfallibleType: ObservableConvertibleType {}
