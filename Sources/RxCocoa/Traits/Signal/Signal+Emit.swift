// SPDX-License-Identifier: Apache-2.0

public import RxRelay
public import RxSwift

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// Subscribes observers to all its events.
    ///
    /// - Parameter observers: receive each event in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit<Observer: ObserverType>(
        to observers: Observer...
    ) -> any Disposable where Observer.Element == Element {
        asObservable().subscribe(ObserverGroup(observers))
    }

    /// Subscribes observers of optionals to all its events.
    ///
    /// - Parameter observers: receive each event in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit<Observer: ObserverType>(
        to observers: Observer...
    ) -> any Disposable where Observer.Element == Element? {
        asObservable().subscribe(ObserverGroup(observers.map { WrappingObserver($0) }))
    }

    /// Passes the elements on to relays.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: BehaviorRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Passes the elements on to relays of optionals.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Passes the elements on to relays.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: PublishRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Passes the elements on to relays of optionals.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: PublishRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Passes the elements on to relays.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: ReplayRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Passes the elements on to relays of optionals.
    ///
    /// - Parameter relays: accept each element in this order, on the main queue (but see `Signal`), and share one subscription.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func emit(to relays: ReplayRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "emit")
    }

    /// Subscribes closures which receive an object that is held weakly.
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - object: passed to the closures as long as it lives; without it they are not called.
    ///   - onNext: receives the elements, one at a time, on the main queue (but see `Signal`).
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the end of the sequence or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    public func emit<Object: AnyObject>(
        with object: Object,
        onNext: ((Object, Element) -> Void)? = nil,
        onCompleted: ((Object) -> Void)? = nil,
        onDisposed: ((Object) -> Void)? = nil
    ) -> any Disposable {
        subscribeOnMain(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - onNext: receives the elements, one at a time, on the main queue (but see `Signal`).
    ///   - onCompleted: runs at the end of the sequence.
    ///   - onDisposed: runs once, after the end of the sequence or when the subscription is disposed of.
    /// - Returns: ends the subscription when disposed of.
    public func emit(
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
    public func emit() -> any Disposable {
        asObservable().subscribe(onNext: nil, onCompleted: nil, onDisposed: nil)
    }
}
