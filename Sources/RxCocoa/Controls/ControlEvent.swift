// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// The events of a control of a user interface: taps, say.
///
/// Its maker promises that it does not fail, repeats nothing to new subscribers, completes when the control is gone, and sends its
/// events on the main queue. The type itself ensures that subscribing takes place on the main queue.
public struct ControlEvent<PropertyType>: ControlEventType, @unchecked Sendable {
    public typealias Element = PropertyType

    @usableFromInline let events: Observable<PropertyType>

    /// A control event of the events of a sequence.
    ///
    /// - Parameter events: keeps the promises. It is subscribed to, and unsubscribed from, on the main queue: at once when already
    ///   there, else soon.
    @inlinable
    public init<Ev: ObservableType>(events: Ev) where Ev.Element == Element {
        self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
    }

    /// - Parameter mainEvents: keeps the promises, the main queue included.
    @inlinable
    init(mainEvents: Observable<PropertyType>) {
        events = mainEvents
    }

    /// Subscribes an observer, on the main queue.
    ///
    /// - Parameter observer: receives the events of the control.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        events.subscribe(observer)
    }

    /// The events as an observable without the promises.
    @inlinable
    public func asObservable() -> Observable<Element> { events }

    /// The same control event, which needs no conversion.
    @inlinable
    public func asControlEvent() -> ControlEvent<Element> { self }

    /// The events as a sequence that does not fail. Should they fail after all, it completes.
    @inlinable
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: events.catch { _ in .empty() })
    }

    /// The events as a driver, which shares them and tells each new subscriber the latest.
    ///
    /// Should they fail after all, that stops the program in debug builds; in release builds the error goes to
    /// `Hooks.defaultErrorHandler` and the driver completes.
    public func asDriver() -> Driver<Element> {
        Driver(
            events.observe(on: DriverSharingStrategy.scheduler).catch { error in
                reject(error, at: "ControlEvent.asDriver")
                return .empty()
            })
    }

    /// The events as a signal, which shares them.
    ///
    /// Should they fail after all, that stops the program in debug builds; in release builds the error goes to
    /// `Hooks.defaultErrorHandler` and the signal completes.
    public func asSignal() -> Signal<Element> {
        Signal(
            events.observe(on: SignalSharingStrategy.scheduler).catch { error in
                reject(error, at: "ControlEvent.asSignal")
                return .empty()
            })
    }
}

/// A type that can be turned into a `ControlEvent`.
public protocol ControlEventType: ObservableType {
    /// Returns the value as a control event.
    func asControlEvent() -> ControlEvent<Element>
}
