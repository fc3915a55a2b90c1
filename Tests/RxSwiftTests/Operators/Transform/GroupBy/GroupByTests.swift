// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct GroupByTests {
    private let source = PublishSubject<Int>()
    private let log = EventLog()

    @Test("An ended group ends only once when its end disposes of the subscription") func endedGroup() {
        var completions = 0
        var group: GroupedObservable<Int, Int>!
        _ = Observable.just(1).groupBy { $0 }.subscribe(onNext: { group = $0 })
        let ends = group.materialize().do(onCompleted: { completions += 1 })
        #expect(events(of: ends.take(1)) == ["next(completed)", "completed"])
        #expect(completions == 0)
    }

    @Test("Each element goes to the group of its key") func keys() {
        let log = log
        _ = source.groupBy { $0 % 3 }.subscribe(
            onNext: { group in
                log.note("new\(group.key)")
                _ = group.subscribe(
                    onNext: { log.note("\(group.key):\($0)") }, onCompleted: { log.note("end\(group.key)") })
            }, onCompleted: { log.note("completed") })
        for element in [5, 1, 2, 3] { source.onNext(element) }
        source.onCompleted()
        #expect(log.text == "new2 2:5 new1 1:1 2:2 new0 0:3 end2 end1 end0 completed")
        #expect(!source.hasObservers)
    }

    @Test("An error goes to all groups and to the result") func error() {
        let log = log
        _ = source.groupBy { $0 % 2 }.subscribe(
            onNext: { group in _ = group.subscribe(onError: { _ in log.note("error\(group.key)") }) },
            onError: { _ in log.note("error") })
        source.onNext(1)
        source.onNext(2)
        source.onError(NumberedFailure())
        #expect(log.text == "error1 error0 error")
    }

    @Test("An error of the key selector ends the groups and the result") func selectorThrows() {
        let log = log
        _ = source.groupBy { element -> Int in
            if element == 2 { throw NumberedFailure(2) }
            return 0
        }.subscribe(
            onNext: { group in _ = log.observe(group.asObservable()) }, onError: { _ in log.note("outer") })
        source.onNext(1)
        source.onNext(2)
        #expect(log.text == "1 error(2) outer")
        #expect(!source.hasObservers)
    }

    @Test("A subscribed group keeps the source") func groupKeepsSource() {
        let log = log
        nonisolated(unsafe) var inner: (any Disposable)?
        let outer = source.groupBy { $0 % 2 }.subscribe(onNext: { group in
            if inner == nil { inner = log.observe(group.asObservable()) }
        })
        source.onNext(1)
        outer.dispose()
        #expect(source.hasObservers)
        source.onNext(2)
        source.onNext(3)
        inner?.dispose()
        #expect(!source.hasObservers)
        #expect(log.text == "1 3")
    }

    @Test("The subscribed result keeps the source") func resultKeepsSource() {
        nonisolated(unsafe) var inner: (any Disposable)?
        let outer = source.groupBy { $0 }.subscribe(onNext: { inner = $0.subscribe() })
        source.onNext(1)
        inner?.dispose()
        #expect(source.hasObservers)
        outer.dispose()
        #expect(!source.hasObservers)
    }

    @Test("A late subscriber of a group gets its end") func lateSubscriber() {
        nonisolated(unsafe) var groups: [GroupedObservable<Int, Int>] = []
        _ = source.groupBy { $0 }.subscribe(onNext: { groups.append($0) })
        source.onNext(1)
        source.onCompleted()
        _ = log.observe(groups[0].asObservable())
        #expect(log.text == "completed")
    }

    @Test("Thousands of groups keep their order") func manyGroups() {
        let log = EventLog()
        let numbers = Observable.range(start: 0, count: 60_000)
        _ = numbers.groupBy { $0 % 20_000 }
            .flatMap { group in group.reduce(0) { count, _ in count + 1 }.map { (group.key, $0) } }
            .toArray()
            .subscribe(onSuccess: { counts in
                log.note("\(counts.count) \(counts.allSatisfy({ $0.1 == 3 }))")
                log.note("\(counts.map(\.0) == Array(0..<20_000))")
            })
        #expect(log.text == "20000 true true")
    }

    @Test("A key may dispose and emit in its hash or equality", arguments: [true, false])
    func keyDisposes(inHash: Bool) {
        final class Key: Hashable, @unchecked Sendable {
            let number: Int
            let inHash: (() -> Void)?
            let inEquality: (() -> Void)?

            init(_ number: Int, inHash: (() -> Void)? = nil, inEquality: (() -> Void)? = nil) {
                (self.number, self.inHash, self.inEquality) = (number, inHash, inEquality)
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(number)
                inHash?()
            }

            static func == (one: Key, other: Key) -> Bool {
                one.inEquality?()
                other.inEquality?()
                return one.number == other.number
            }
        }
        let source = PublishSubject<Key>()
        let subscription = SerialDisposable()
        let log = EventLog()
        subscription.disposable = source.groupBy { $0 }.subscribe(onNext: { log.note("\($0.key.number)") })
        source.onNext(Key(1))
        let meddle = {
            subscription.dispose()
            source.onNext(Key(3))
        }
        source.onNext(inHash ? Key(1, inHash: meddle) : Key(1, inEquality: meddle))
        #expect(log.text == "1" && !source.hasObservers)
    }

    @Test("The end releases the selector though a group is kept") func release() {
        weak var released: ReleaseToken?
        nonisolated(unsafe) var kept: GroupedObservable<Int, Int>?
        do {
            let token = ReleaseToken()
            released = token
            _ = source.groupBy { element in withExtendedLifetime(token) { element } }.subscribe(onNext: { kept = $0 })
            source.onNext(1)
            source.onCompleted()
        }
        #expect(released == nil && kept?.key == 1)
    }

    @Test("A subscription to a group that races with disposal leaves no observer") func disposalRace() {
        final class Round {
            let source = PublishSubject<Int>()
            nonisolated(unsafe) var group: GroupedObservable<Int, Int>?
            nonisolated(unsafe) var outer: (any Disposable)?

            init() {
                outer = source.groupBy { $0 }.subscribe(onNext: { self.group = $0 })
                source.onNext(1)
            }
        }
        raceRounds(
            2_000, prepare: { Round() }, { $0.group!.subscribe().dispose() }, { $0.outer!.dispose() },
            check: { #expect(!$0.source.hasObservers) })
    }
}
