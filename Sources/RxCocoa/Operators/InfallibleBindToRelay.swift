// SPDX-License-Identifier: Apache-2.0

public import RxRelay
public import RxSwift

extension InfallibleType {
    /// Passes each element to publish relays.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }

    /// Passes each element to publish relays of optional elements.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }

    /// Makes each element the value of behavior relays.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }

    /// Makes each element the value of behavior relays of optional elements.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }

    /// Passes each element to replay relays.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }

    /// Passes each element to replay relays of optional elements.
    ///
    /// Subscribes to the sequence once, and ignores completion.
    /// - Parameter relays: accept each element in the order given, on the thread that emits it.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        asObservable().bind(
            onNext: { element in for relay in relays { relay.accept(element) } }, pausing: relays, at: "bind(to:)")
    }
}
