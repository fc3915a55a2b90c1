// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A subject in which the first lines of KnownDifferences.md hold: no event is nested in another, observers are notified in order of
/// subscription, an observer that left gets nothing, a late subscriber gets the events that are yet to be delivered.
///
/// When two logs differ, the program runs again with these subjects in place of the other library's. If the logs are the same then,
/// those lines explain the difference.
final class ModelSubject: SubjectType, ObserverType, @unchecked Sendable {
    typealias Element = Int

    enum Policy {
        case publish
        case replay(Int)
        case behavior(Int)
        case async
    }

    private final class Subscriber {
        let observer: AnyObserver<Int>
        /// Events up to this number were part of the replay.
        let known: Int
        /// The events that arrive while the replayed elements are being delivered.
        var held: [Event<Int>]?

        init(_ observer: AnyObserver<Int>, known: Int) {
            self.observer = observer
            self.known = known
        }

        func on(_ event: Event<Int>) {
            if held == nil { observer.on(event) } else { held!.append(event) }
        }
    }

    private let policy: Policy
    private let note: (String) -> Void
    private var subscribers: [Subscriber] = []
    private var remembered: [Int] = []
    private var terminal: Event<Int>?
    private var hasDeliveredTerminal = false
    private var queue: [(number: Int, event: Event<Int>)] = []
    private(set) var isDelivering = false
    private var accepted = 0
    private var departures = 0

    /// - Parameter note: receives the name of each line that mattered.
    init(_ policy: Policy, note: @escaping (String) -> Void) {
        self.policy = policy
        self.note = note
        if case .behavior(let value) = policy { remembered = [value] }
    }

    func asObserver() -> ModelSubject { self }

    /// Goes through `create`, as observables of foreign types do.
    func asObservable() -> Observable<Int> { .create { self.subscribe($0) } }

    func on(_ event: Event<Int>) {
        guard terminal == nil else { return }
        if isDelivering { note("nested") }
        remember(event)
        switch (policy, event) {
        case (.async, .next): return
        case (.async, .completed):
            for value in remembered { enqueue(.next(value)) }
            enqueue(event)
        default: enqueue(event)
        }
        guard !isDelivering else { return }
        isDelivering = true
        while !queue.isEmpty { deliver(queue.removeFirst()) }
        isDelivering = false
    }

    private func remember(_ event: Event<Int>) {
        guard case .next(let value) = event else {
            terminal = event
            return
        }
        switch policy {
        case .publish: break
        case .behavior, .async: remembered = [value]
        case .replay(let count): remembered = Array((remembered + [value]).suffix(count))
        }
    }

    private func enqueue(_ event: Event<Int>) {
        accepted += 1
        queue.append((accepted, event))
    }

    private func deliver(_ entry: (number: Int, event: Event<Int>)) {
        if departures > 0 || subscribers.count > 30 { note("departures") }
        if entry.event.isStopEvent { hasDeliveredTerminal = true }
        for subscriber in subscribers where subscriber.known < entry.number {
            // The subscriber may have left since the delivery began.
            if subscribers.contains(where: { $0 === subscriber }) {
                subscriber.on(entry.event)
            } else {
                note("disposed")
            }
        }
        if entry.event.isStopEvent { subscribers = [] }
    }

    func subscribe<O: ObserverType>(_ observer: O) -> any Disposable where O.Element == Int {
        switch policy {
        case .publish: return subscribe(observer, replaying: [], known: 0, after: hasDeliveredTerminal)
        case .async:
            let values = terminal.map { $0.isCompleted ? remembered : [] } ?? []
            return subscribe(observer, replaying: values, known: 0, after: terminal != nil)
        case .behavior:
            return subscribe(
                observer, replaying: terminal == nil ? remembered : [], known: accepted, after: terminal != nil)
        case .replay: return subscribe(observer, replaying: remembered, known: accepted, after: terminal != nil)
        }
    }

    private func subscribe<O: ObserverType>(
        _ observer: O, replaying values: [Int], known: Int, after isOver: Bool
    ) -> any Disposable where O.Element == Int {
        guard !isOver else {
            for value in values { observer.onNext(value) }
            observer.on(terminal!)
            return Disposables.create()
        }
        if isDelivering { note("lateSubscriber") }
        let subscriber = Subscriber(observer.asObserver(), known: known)
        subscribers.append(subscriber)
        if !values.isEmpty, !isDelivering {
            // Events that come meanwhile wait, for all observers.
            isDelivering = true
            for value in values { observer.onNext(value) }
            while !queue.isEmpty { deliver(queue.removeFirst()) }
            isDelivering = false
        } else if !values.isEmpty {
            subscriber.held = []
            for value in values { observer.onNext(value) }
            while let event = subscriber.held!.first {
                subscriber.held!.removeFirst()
                note("nested")
                observer.on(event)
            }
            subscriber.held = nil
        }
        return Disposables.create {
            self.departures += 1
            self.subscribers.removeAll { $0 === subscriber }
        }
    }
}

extension Event {
    fileprivate var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }
}
