// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension BlockingObservable {
    /// Waits for the end of the sequence.
    ///
    /// - Returns: all elements of the sequence, in order.
    /// - Throws: the error of the sequence, `RxError.timeout` or `BlockingError`.
    public func toArray() throws -> [Element] {
        try materialize().elementsOrThrow()
    }

    /// Waits for an element, and ends the subscription.
    ///
    /// - Returns: the first element; nil if the sequence completes without one.
    /// - Throws: the error of the sequence, `RxError.timeout` or `BlockingError`.
    public func first() throws -> Element? {
        try collect(atMost: 1).elementsOrThrow().first
    }

    /// Waits for the end of the sequence.
    ///
    /// - Returns: the last element; nil if there is none.
    /// - Throws: the error of the sequence, `RxError.timeout` or `BlockingError`.
    public func last() throws -> Element? {
        try materialize().elementsOrThrow().last
    }

    /// Waits for the end of a sequence of one element, or for a second element.
    ///
    /// - Returns: the only element of the sequence.
    /// - Throws: `RxError.noElements` or `RxError.moreThanOneElement` where there is not exactly one, the error of the sequence,
    ///   `RxError.timeout` or `BlockingError`.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// Waits for the end of a sequence in which one element satisfies a predicate, or for a second that does.
    ///
    /// - Parameter predicate: runs on the threads that emit; an error that it throws ends the wait.
    /// - Returns: the only element that satisfies the predicate.
    /// - Throws: `RxError.noElements` or `RxError.moreThanOneElement` where there is not exactly one, the error of the sequence or of
    ///   the predicate, `RxError.timeout` or `BlockingError`.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let elements = try collect(atMost: 2, where: predicate).elementsOrThrow()
        if elements.count > 1 { throw RxError.moreThanOneElement }
        guard let element = elements.first else { throw RxError.noElements }
        return element
    }

    /// Waits for the end of the sequence.
    ///
    /// - Returns: the elements, and if the sequence did not complete, the error; it may be `RxError.timeout` or a `BlockingError`.
    public func materialize() -> MaterializedSequenceResult<Element> {
        collect(atMost: nil)
    }
}

/// The events of a sequence, as known when the wait was over.
@frozen
public enum MaterializedSequenceResult<T> {
    /// The sequence completed, after these elements.
    case completed(elements: [T])
    /// The sequence ended with an error, after these elements.
    case failed(elements: [T], error: any Error)
}

extension MaterializedSequenceResult {
    func elementsOrThrow() throws -> [T] {
        switch self {
        case .completed(let elements): return elements
        case .failed(_, let error): throw error
        }
    }
}
