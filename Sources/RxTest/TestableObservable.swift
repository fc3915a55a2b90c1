// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A sequence with a script, which records its subscriptions; made by `TestScheduler`.
///
/// It sends the events of the script, also events after a terminal event; operators ignore those.
/// For the thread that runs the scheduler.
public class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    /// The script: the events to send.
    public let recordedEvents: [Recorded<Event<Element>>]

    /// The subscriptions so far, in order of subscription.
    public internal(set) var subscriptions: [Subscription] = []

    let scheduler: TestScheduler

    init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        self.recordedEvents = recordedEvents
    }

    /// Subscribes an observer, which gets the events as they are.
    ///
    /// - Parameter observer: receives the events of the script.
    /// - Returns: ends the subscription, and records when.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        fatalError("TestableObservable: a subclass has to implement subscribe")
    }

    /// Records that a subscription begins; the disposable it returns records the end.
    func beginSubscription(_ end: @escaping () -> Void) -> any Disposable {
        let index = subscriptions.count
        subscriptions.append(Subscription(scheduler.clock))
        return Disposables.create {
            end()
            self.subscriptions[index] = Subscription(self.subscriptions[index].subscribe, self.scheduler.clock)
        }
    }
}
