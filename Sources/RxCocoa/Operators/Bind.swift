// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension ObservableType {
    /// Passes every event to observers.
    ///
    /// Subscribes to the sequence only once.
    /// - Parameter observers: receive each event in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind<Observer: ObserverType>(
        to observers: Observer...
    ) -> any Disposable where Observer.Element == Element {
        asObservable().subscribe(ObserverGroup(observers))
    }

    /// Passes every event to observers of optional elements.
    ///
    /// Subscribes to the sequence only once.
    /// - Parameter observers: receive each event in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind<Observer: ObserverType>(
        to observers: Observer...
    ) -> any Disposable where Observer.Element == Element? {
        asObservable().subscribe(ObserverGroup(observers.map { WrappingObserver($0) }))
    }

    /// Passes the sequence to a function that binds it.
    ///
    /// - Parameter binder: called once, with the sequence.
    /// - Returns: the result of `binder`; mostly a disposable that ends the binding.
    @inlinable
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Passes the sequence, and then an argument, to a function that binds it.
    ///
    /// - Parameters:
    ///   - binder: called once with the sequence; the function it returns is called with the argument.
    ///   - curriedArgument: mostly a closure that handles an element.
    /// - Returns: the final result of `binder`; mostly a disposable that ends the binding.
    @inlinable
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Runs a closure for each element, with an object that is held weakly.
    ///
    /// A binding can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameters:
    ///   - object: passed to the closure as long as it lives; without it the closure is not called.
    ///   - onNext: receives the elements, one at a time, on the threads that emit.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency
    public func bind<Object: AnyObject>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return bind(onNext: { element in if let object { onNext(object, element) } })
    }

    /// Runs a closure for each element.
    ///
    /// A binding can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter onNext: receives the elements, one at a time, on the threads that emit.
    /// - Returns: ends the subscription when disposed of.
    @preconcurrency @inlinable
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: rejection(at: "bind(onNext:)"))
    }
}
