// SPDX-License-Identifier: Apache-2.0

/// A sequence that does not fail: `next* completed?`.
///
/// It is an observable with a promise in its type, and no other rules about threads or sharing. The operators on it take closures
/// that do not throw. The few operators whose closures may throw break the promise when one does: the sequence then ends with an error,
/// which passes through `asObservable()`, and which `subscribe` passes to `Hooks.defaultErrorHandler`.
public struct Infallible<Element>: InfallibleType, @unchecked Sendable {
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
    /// An element, which further events may follow.
    case next(Element)
    /// The terminal event: the sequence ended.
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
