// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A property of a control of a user interface, to read and to write: the text of a field, say.
///
/// Its maker promises that its values do not fail, begin with the present one for each subscriber, continue with the changes
/// that the user makes (not the program), complete when the control is gone, and come on the main queue. The type itself ensures that
/// subscribing takes place on the main queue.
public struct ControlProperty<PropertyType>: ControlPropertyType, @unchecked Sendable {
    public typealias Element = PropertyType

    @usableFromInline let values: Observable<PropertyType>
    @usableFromInline let valueSink: AnyObserver<PropertyType>

    /// A control property of a sequence and an observer.
    ///
    /// - Parameters:
    ///   - values: keeps the promises. It is subscribed to, and unsubscribed from, on the main queue: at once when already there,
    ///     else soon.
    ///   - valueSink: receives the values written to the property, and completion.
    @inlinable
    public init<Values: ObservableType, Sink: ObserverType>(
        values: Values, valueSink: Sink
    ) where Element == Values.Element, Element == Sink.Element {
        self.init(
            mainValues: values.subscribe(on: ConcurrentMainScheduler.instance), valueSink: valueSink.asObserver())
    }

    /// - Parameters:
    ///   - mainValues: keeps the promises, the main queue included.
    ///   - valueSink: receives the values written to the property.
    @inlinable
    init(mainValues: Observable<PropertyType>, valueSink: AnyObserver<PropertyType>) {
        values = mainValues
        self.valueSink = valueSink
    }

    /// Subscribes an observer, on the main queue.
    ///
    /// - Parameter observer: receives the present value and the changes.
    /// - Returns: ends the subscription when disposed of.
    @inlinable
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        values.subscribe(observer)
    }

    /// Writes an element to the property; completion is passed on as well.
    ///
    /// A property can't take errors: in debug builds an error stops the program, in release builds it goes to
    /// `Hooks.defaultErrorHandler`.
    @inlinable
    public func on(_ event: Event<Element>) {
        if case .error(let error) = event {
            reject(error, at: "ControlProperty")
        } else {
            valueSink.on(event)
        }
    }

    /// The changes that the user makes from the subscription on: all values but the first.
    @inlinable
    public var changed: ControlEvent<PropertyType> {
        ControlEvent(mainEvents: values.skip(1))
    }

    /// The values as an observable without the promises.
    @inlinable
    public func asObservable() -> Observable<Element> { values }

    /// The same control property, which needs no conversion.
    @inlinable
    public func asControlProperty() -> ControlProperty<Element> { self }

    /// The values as a driver, which shares them and tells each new subscriber the latest.
    ///
    /// Should they fail after all, that stops the program in debug builds; in release builds the error goes to
    /// `Hooks.defaultErrorHandler` and the driver completes.
    public func asDriver() -> Driver<Element> {
        Driver(
            values.observe(on: DriverSharingStrategy.scheduler).catch { error in
                reject(error, at: "ControlProperty.asDriver")
                return .empty()
            })
    }
}

/// A type that can be turned into a `ControlProperty`.
public protocol ControlPropertyType: ObservableType, ObserverType {
    /// Returns the value as a control property.
    func asControlProperty() -> ControlProperty<Element>
}

extension ControlPropertyType where Element == String? {
    /// The property with an empty string in the place of nil.
    public var orEmpty: ControlProperty<String> {
        let original = asControlProperty()
        return ControlProperty(
            mainValues: original.values.map { $0 ?? "" }, valueSink: original.valueSink.mapObserver { $0 })
    }
}
