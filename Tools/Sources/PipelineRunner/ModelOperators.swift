// SPDX-License-Identifier: Apache-2.0

import RxSwift

// Operators that follow the lines of KnownDifferences.md, made from parts of the other library. They replace that library's own
// operators when a program runs again because its logs differ.

extension Session {
    /// `amb` that keeps its winner when a loser ends while it is being subscribed to.
    func modelAmb(_ left: Ints, _ right: Ints) -> Ints {
        .create { [log] observer in
            var winner = 0
            var subscribing = 0
            let links = [SingleAssignmentDisposable(), SingleAssignmentDisposable()]
            for (index, source) in [left, right].enumerated() {
                subscribing = index + 1
                links[index].setDisposable(
                    source.subscribe { event in
                        if winner == 0 {
                            winner = index + 1
                            links[1 - index].dispose()
                        }
                        if winner == index + 1 {
                            observer.on(event)
                        } else if event.isStopEvent, subscribing == index + 1 {
                            log.note("amb")
                        }
                        if event.isStopEvent { links[index].dispose() }
                    })
                subscribing = 0
            }
            return Disposables.create(links[0], links[1])
        }
    }

    /// Models `share()` or `share(replay: 1)` without `multicast` and `refCount`: the source is disposed of behind its terminal event.
    func modelShare(_ source: Ints, _ policy: ModelSubject.Policy) -> Ints {
        var connection: (subject: ModelSubject, source: SingleAssignmentDisposable, subscribers: Int)?
        return .create { observer in
            let isFirst = connection == nil
            if isFirst { connection = (self.model(policy), SingleAssignmentDisposable(), 0) }
            connection!.subscribers += 1
            let (subject, link, _) = connection!
            let below = subject.subscribe(observer)
            if isFirst {
                link.setDisposable(
                    source.subscribe { event in
                        if event.isStopEvent, connection?.subject === subject { connection = nil }
                        subject.on(event)
                        if event.isStopEvent { link.dispose() }
                    })
            }
            return Disposables.create {
                below.dispose()
                guard connection?.subject === subject else { return }
                connection!.subscribers -= 1
                guard connection!.subscribers == 0 else { return }
                connection = nil
                link.dispose()
            }
        }
    }

    /// `refCount` that stays connected while a subscriber is being subscribed.
    func modelRefCount(_ source: Ints, _ connectable: (Ints) -> ConnectableObservable<Int>) -> Ints {
        let state = ModelRefCount()
        let connectable = connectable(
            source.do(onError: { _ in state.hasEnded = true }, onCompleted: { state.hasEnded = true }))
        return .create { [log] observer in
            /// The connection that the subscription counts for. Nil before it has been subscribed, and after it has received the
            /// terminal event.
            var generation: Int?
            var isOver = false
            if state.phase == .connected, state.hasEnded {
                log.note("lateSubscribers")
                _ = state.startAnew()
            }
            state.joining += 1
            let below = connectable.subscribe { event in
                if event.isStopEvent {
                    isOver = true
                    if generation == state.generation { state.startAnew()?.dispose() }
                    generation = nil
                }
                observer.on(event)
            }
            state.joining -= 1
            if state.isKept, state.hasEnded {
                log.note("lateSubscribers")
                _ = state.startAnew()
            }
            if isOver {
                state.disposable()?.dispose()
            } else {
                generation = state.generation
                state.count += 1
                if state.isKept { log.note("lateSubscribers") }
                state.isKept = false
                if state.phase == .idle { state.connect(connectable) }
            }
            return Disposables.create {
                below.dispose()
                guard generation == state.generation else { return }
                generation = nil
                state.count -= 1
                state.disposable()?.dispose()
            }
        }
    }

    /// Models the groups of `groupBy`, which ends them in order of first appearance.
    ///
    /// The other library visits the groups as a dictionary does: in order of the hashes of their keys.
    func modelGroups(
        _ source: Ints, _ key: @escaping (Int) -> Int, _ made: @escaping (Int, Ints) -> Ints
    ) -> Observable<Ints> {
        var places: [Int: Int] = [:]
        let groups = source.do(onSubscribe: { places = [:] }).groupBy { [log] (element: Int) -> PlacedKey in
            let key = key(element)
            let place = places[key] ?? places.count
            places[key] = place
            if place > 0 { log.note("groups") }
            return PlacedKey(value: key, place: place)
        }
        return groups.map { made($0.key.value, $0.asObservable()) }
    }

    /// Models the errors of a `retry(when:)` that loops: an error that comes while another one is being answered waits.
    func modelErrors(_ errors: Ints, _ answers: Answers) -> Ints {
        .create { [log] observer in
            let subject = ModelSubject(.publish) { if $0 == "nested" { log.note("retry") } }
            let below = subject.subscribe(observer)
            let source = errors.subscribe { event in
                guard answers.depth > 0, !subject.isDelivering else { return subject.on(event) }
                log.note("retry")
                self.hold { subject.on(event) }
            }
            return Disposables.create(source, below)
        }
    }

    /// Counts the elements that are being delivered.
    func modelNotifier(_ notifier: Ints, _ answers: Answers) -> Ints {
        notifier.do(onNext: { _ in answers.depth += 1 }, afterNext: { _ in answers.depth -= 1 })
    }

    /// Models an operator with several sources: once it has ended, it disposes of each further source as soon as it has subscribed to
    /// it.
    func modelEnd(_ sources: [Ints], _ combine: @escaping ([Ints]) -> Ints) -> Ints {
        .deferred { [log] in
            var hasEnded = false
            let disposed = sources.map { source in
                Ints.create { observer in
                    let disposable = source.subscribe(observer)
                    if hasEnded {
                        log.note("ended")
                        disposable.dispose()
                    }
                    return disposable
                }
            }
            return combine(disposed).do(
                onError: { _ in hasEnded = true }, onCompleted: { hasEnded = true }, onDispose: { hasEnded = true })
        }
    }

    /// Releases the held work behind each event of a source whose events come from no action of `timing`.
    func returning(_ source: Ints) -> Ints {
        guard usesModels else { return source }
        return source.do(
            afterNext: { _ in self.release() }, afterError: { _ in self.release() }, afterCompleted: { self.release() })
    }

    /// Models `skip(until:)` that wants one element of its trigger, and nothing behind it.
    func modelSkipUntil(_ source: Ints, _ trigger: Ints) -> Ints {
        source.skip(
            until: Ints.deferred { [log] in
                var hasFired = false
                let watched = trigger.do(
                    onNext: { _ in hasFired = true }, onError: { _ in if hasFired { log.note("trigger") } })
                return watched.take(1)
            })
    }
}

/// The state that `modelRefCount` keeps of its connection.
private final class ModelRefCount {
    enum Phase {
        case idle
        case connecting
        case connected
    }

    var phase = Phase.idle
    var count = 0
    /// The number of subscribers that are being subscribed.
    var joining = 0
    var generation = 0
    /// True if the connection exists only for the subscribers that are being subscribed.
    var isKept = false
    /// True if the source of the connection has ended.
    var hasEnded = false
    private var connection: (any Disposable)?

    func connect(_ connectable: ConnectableObservable<Int>) {
        let mine = generation
        phase = .connecting
        hasEnded = false
        let made = connectable.connect()
        guard mine == generation else { return made.dispose() }
        connection = made
        if count == 0, joining == 0 {
            startAnew()?.dispose()
        } else {
            phase = .connected
            isKept = count == 0
        }
    }

    /// Returns the connection if it has no subscriber and none is being subscribed.
    func disposable() -> (any Disposable)? {
        guard count == 0, phase == .connected else { return nil }
        isKept = joining > 0
        return isKept ? nil : startAnew()
    }

    /// Starts a new generation. Returns the connection before it.
    func startAnew() -> (any Disposable)? {
        defer { connection = nil }
        count = 0
        phase = .idle
        isKept = false
        generation += 1
        return connection
    }
}

/// A key whose place in a small dictionary is that of its first appearance.
private struct PlacedKey: Hashable {
    let value: Int
    let place: Int

    static func == (left: PlacedKey, right: PlacedKey) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(place) }

    func _rawHashValue(seed: Int) -> Int { place }
}

/// The number of a notifier's elements that are being delivered.
final class Answers {
    var depth = 0
}

/// A scheduler that wraps another one and runs a closure behind each of its actions.
struct ReturningScheduler: SchedulerType {
    private let scheduler: any SchedulerType
    private let hasReturned: () -> Void

    init(_ scheduler: any SchedulerType, _ hasReturned: @escaping () -> Void) {
        self.scheduler = scheduler
        self.hasReturned = hasReturned
    }

    var now: RxTime { scheduler.now }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        scheduler.schedule(state, action: returning(action))
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        scheduler.scheduleRelative(state, dueTime: dueTime, action: returning(action))
    }

    private func returning<State>(_ action: @escaping (State) -> any Disposable) -> (State) -> any Disposable {
        { state in
            let disposable = action(state)
            hasReturned()
            return disposable
        }
    }
}
