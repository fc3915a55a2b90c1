// SPDX-License-Identifier: Apache-2.0

public import RxRelay
public import RxSwift

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// Subscribes observers to all its events.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter observers: receive each event in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive<Observer: ObserverType>(
        _ observers: Observer...
    ) -> any Disposable where Observer.Element == Element {
        asObservable().subscribe(ObserverGroup(observers))
    }

    /// Subscribes observers of optionals to all its events.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter observers: receive each event in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive<Observer: ObserverType>(
        _ observers: Observer...
    ) -> any Disposable where Observer.Element == Element? {
        asObservable().subscribe(ObserverGroup(observers.map { WrappingObserver($0) }))
    }

    /// Passes the elements on to relays.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter relays: accept each element in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "drive")
    }

    /// Passes the elements on to relays of optionals.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter relays: accept each element in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive(_ relays: BehaviorRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "drive")
    }

    /// Passes the elements on to relays.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter relays: accept each element in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "drive")
    }

    /// Passes the elements on to relays of optionals.
    ///
    /// From any thread; the remembered element comes inside this call, on the calling thread, everything else on the main queue (but see `Driver`).
    /// - Parameter relays: accept each element in this order, and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive(_ relays: ReplayRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "drive")
    }

    /// Subscribes in the way of a function.
    ///
    /// - Parameter transformation: receives the driver's observable, inside this call.
    /// - Returns: the result of the function.
    @inlinable
    public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
        transformation(asObservable())
    }

    /// Subscribes in the way of a function that takes a further argument.
    ///
    /// - Parameters:
    ///   - with: receives the driver's observable, inside this call, and returns a function of the argument.
    ///   - curriedArgument: the argument.
    /// - Returns: the result of the second function.
    @inlinable
    public func drive<R1, R2>(_ with: (Observable<Element>) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        with(asObservable())(curriedArgument)
    }

    /// Subscribes closures which receive an object that is held weakly.
    ///
    /// From any thread; everything comes on the main queue, the remembered element inside this call if that is made there (but see `Driver`).
    /// `onDisposed` runs there, too: later, if the subscription is disposed of on another thread.
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onNext: receives the elements, one at a time.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the end of the sequence or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    public func drive<Object: AnyObject>(
        with object: Object,
        onNext: ((Object, Element) -> Void)? = nil,
        onCompleted: ((Object) -> Void)? = nil,
        onDisposed: ((Object) -> Void)? = nil
    ) -> any Disposable {
        subscribeOnMain(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// From any thread; everything comes on the main queue, the remembered element inside this call if that is made there (but see `Driver`).
    /// `onDisposed` runs there, too: later, if the subscription is disposed of on another thread.
    /// - Parameters:
    ///   - onNext: receives the elements, one at a time.
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the end of the sequence or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    public func drive(
        onNext: ((Element) -> Void)? = nil,
        onCompleted: (() -> Void)? = nil,
        onDisposed: (() -> Void)? = nil
    ) -> any Disposable {
        subscribeOnMain(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes without looking at the elements.
    ///
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func drive() -> any Disposable {
        asObservable().subscribe(onNext: nil, onCompleted: nil, onDisposed: nil)
    }
}
