// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Sends its events at absolute times, to the observers subscribed then.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    private var observers: [(key: Int, on: (Event<Element>) -> Void)] = []
    private var nextKey = 0

    override init(scheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        super.init(scheduler: scheduler, recordedEvents: recordedEvents)
        for event in recordedEvents {
            scheduler.scheduleAt(event.time) { self.send(event.value) }
        }
    }

    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let key = nextKey
        nextKey += 1
        observers.append((key, observer.on))
        return beginSubscription { self.remove(key) }
    }

    private func remove(_ key: Int) {
        // The keys ascend.
        var (index, end) = (0, observers.count)
        while index < end {
            let middle = (index + end) / 2
            if observers[middle].key < key { index = middle + 1 } else { end = middle }
        }
        guard index < observers.count, observers[index].key == key else { return }
        // Released when this returns: its deinit may come back here.
        _ = observers.remove(at: index)
    }

    private func send(_ event: Event<Element>) {
        // To the observers subscribed now, even if observers come and go meanwhile.
        for observer in observers { observer.on(event) }
    }
}
