// SPDX-License-Identifier: Apache-2.0

/// Receives the events of a sequence.
public protocol ObserverType<Element> {
    /// The type of the elements received.
    associatedtype Element

    /// Receives one event of the sequence.
    func on(_ event: Event<Element>)
}

extension ObserverType {
    /// Receives an element: shorthand for `on(.next(element))`.
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    /// Receives the end of the sequence: shorthand for `on(.completed)`.
    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    /// Receives the error that ends the sequence: shorthand for `on(.error(error))`.
    @inlinable
    public func onError(_ error: any Swift.Error) {
        on(.error(error))
    }
}
