// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension ObservableType {
    /// Passes each element to publish relays.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: PublishRelay)")
    }

    /// Passes each element to publish relays of optional elements.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: PublishRelay)")
    }

    /// Makes each element the value of behavior relays.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: BehaviorRelay)")
    }

    /// Makes each element the value of behavior relays of optional elements.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: BehaviorRelay)")
    }

    /// Passes each element to replay relays.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: ReplayRelay)")
    }

    /// Passes each element to replay relays of optional elements.
    ///
    /// Subscribes to the sequence only once. A relay can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`; completion is ignored.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays,
            at: "bind(to: ReplayRelay)")
    }
}
