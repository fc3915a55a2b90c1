// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Sends its events to each subscriber, at times relative to the subscription.
final class ColdObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let isDisposed = BooleanDisposable()
        let subscription = beginSubscription(isDisposed.dispose)
        for event in recordedEvents {
            _ = scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
                if !isDisposed.isDisposed { observer.on(event.value) }
                return Disposables.create()
            }
        }
        return subscription
    }
}
