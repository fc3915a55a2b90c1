/// A sequence that does not fail: `next* completed?`.
///
/// An observable of which the type says so, with no other rules about threads or sharing. The operators on it take closures
/// that do not throw. The few that do let theirs throw break the promise when it does: the sequence then ends with an error,
/// which passes through `asObservable()`, and which `subscribe` hands to `Hooks.defaultErrorHandler`.
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

/// One event of a sequence that does not fail: `next* completed?`.
@frozen
public enum InfallibleEvent<Element> {
    /// An element.
    case next(Element)
    /// The sequence ended. The terminal event.
    case completed
}

extension InfallibleEvent: EventConvertible {
    /// The same event as one of an observable.
    @inlinable
    public var event: Event<Element> {
        switch self {
        case .next(let element): return .next(element)
        case .completed: return .completed
        }
    }
}
