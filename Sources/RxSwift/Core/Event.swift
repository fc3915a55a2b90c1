// SPDX-License-Identifier: Apache-2.0

/// One event of a sequence: `next* (error | completed)?`.
@frozen
public enum Event<Element> {
    /// An element, which further events may follow.
    case next(Element)
    /// A terminal event: the sequence ended with an error.
    case error(any Swift.Error)
    /// A terminal event: the sequence ended without an error.
    case completed
}

extension Event: CustomDebugStringConvertible {
    /// `next(element)`, `error(error)` or `completed`.
    public var debugDescription: String {
        switch self {
        case .next(let element): return "next(\(element))"
        case .error(let error): return "error(\(error))"
        case .completed: return "completed"
        }
    }
}

extension Event {
    /// True if this is a terminal event: `error` or `completed`.
    @inlinable
    public var isStopEvent: Bool {
        if case .next = self { return false }
        return true
    }

    /// The element of a `next` event, else nil.
    @inlinable
    public var element: Element? {
        if case .next(let element) = self { return element }
        return nil
    }

    /// The error of an `error` event, else nil.
    @inlinable
    public var error: (any Swift.Error)? {
        if case .error(let error) = self { return error }
        return nil
    }

    /// True if this event is `completed`.
    @inlinable
    public var isCompleted: Bool {
        if case .completed = self { return true }
        return false
    }

    /// The same event with its element transformed.
    ///
    /// - Parameter transform: runs for `next` only; an error that it throws becomes an `error` event.
    @inlinable
    public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
        do {
            switch self {
            case .next(let element): return .next(try transform(element))
            case .error(let error): return .error(error)
            case .completed: return .completed
            }
        } catch {
            return .error(error)
        }
    }
}

extension Event {
    /// The terminal event with this error; without one, `completed`.
    @inlinable
    package init(stop error: (any Swift.Error)?) {
        if let error { self = .error(error) } else { self = .completed }
    }
}

/// A type that stands for an event.
public protocol EventConvertible {
    /// The type of the event's element.
    associatedtype Element

    /// The event that this value stands for.
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    /// The same event, which needs no conversion.
    @inlinable
    public var event: Event<Element> { self }
}
