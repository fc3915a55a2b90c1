// SPDX-License-Identifier: Apache-2.0

/// Observers that share one subscription: each receives every event, in the order given.
///
/// They pause a source only if all of them do.
@frozen @usableFromInline
package struct ObserverGroup<Observer: ObserverType>: ObserverType, PausingObserver {
    @usableFromInline let observers: [Observer]

    @inlinable
    package init(_ observers: [Observer]) { self.observers = observers }

    @inlinable
    package func on(_ event: Event<Observer.Element>) {
        for observer in observers { observer.on(event) }
    }

    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool {
        !observers.isEmpty && observers.allSatisfy { ($0 as? any PausingObserver)?.pauses(source) ?? false }
    }
}

/// An observer of optionals as an observer of the elements inside.
@frozen @usableFromInline
package struct WrappingObserver<Observer: ObserverType, Element>: ObserverType, PausingObserver
where Observer.Element == Element? {
    @usableFromInline let observer: Observer

    @inlinable
    package init(_ observer: Observer) { self.observer = observer }

    @inlinable
    package func on(_ event: Event<Element>) { observer.on(event.map(Optional.some)) }

    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool {
        (observer as? any PausingObserver)?.pauses(source) ?? false
    }
}
