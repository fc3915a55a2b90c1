// SPDX-License-Identifier: Apache-2.0

/// An observer of any kind behind one type.
public struct AnyObserver<Element>: ObserverType, @unchecked Sendable {
    /// A closure that receives events.
    public typealias EventHandler = (Event<Element>) -> Void

    @usableFromInline let sink: Sink<Element>

    /// An observer that passes each event to a closure.
    ///
    /// - Parameter eventHandler: runs on the thread that emits; this observer serializes nothing.
    public init(eventHandler: @escaping EventHandler) {
        sink = HandlerSink(eventHandler: eventHandler)
    }

    /// An observer that passes each event to `observer`.
    ///
    /// - Parameter observer: the observer that receives the events.
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        if let any = observer as? AnyObserver<Element> {
            self = any
        } else {
            sink = HandlerSink(eventHandler: observer.on, pausingObserver: observer as? any PausingObserver)
        }
    }

    /// An observer whose events go to a stage of a subscription.
    @usableFromInline
    package init(sink: Sink<Element>) {
        self.sink = sink
    }

    /// Passes one event to the observer.
    @inlinable
    public func on(_ event: Event<Element>) {
        sink.on(event)
    }

    /// Returns the observer itself, without wrapping it.
    public func asObserver() -> AnyObserver<Element> {
        self
    }
}

extension AnyObserver: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { sink.pauses(source) }
}

extension ObserverType {
    /// This observer behind the type `AnyObserver`.
    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// An observer of another element type, which transforms elements before they reach this one.
    ///
    /// - Parameter transform: turns each element into one of this observer's; an error that it throws becomes an `error` event.
    @preconcurrency
    public func mapObserver<Result>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        AnyObserver(
            sink: HandlerSink(
                eventHandler: { self.on($0.map(transform)) }, pausingObserver: self as? any PausingObserver))
    }
}

/// The closure behind an `AnyObserver`.
package final class HandlerSink<Element>: Sink<Element> {
    private let eventHandler: AnyObserver<Element>.EventHandler
    private let pausingObserver: (any PausingObserver)?

    package init(
        eventHandler: @escaping AnyObserver<Element>.EventHandler, pausingObserver: (any PausingObserver)? = nil
    ) {
        self.eventHandler = eventHandler
        self.pausingObserver = pausingObserver
        super.init()
    }

    package override func next(_ element: Element) { eventHandler(.next(element)) }
    package override func error(_ error: any Swift.Error) { eventHandler(.error(error)) }
    package override func completed() { eventHandler(.completed) }

    package override func pauses(_ source: any PausableSource) -> Bool { pausingObserver?.pauses(source) ?? false }
}
