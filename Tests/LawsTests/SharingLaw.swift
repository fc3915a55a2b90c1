// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Laws L2 to L6 where several observers share one sequence: subjects, and the operators built on them.
    @Suite struct SharingLaw {
        /// A sequence that several observers share, and the way to send to it.
        struct Shared: Sendable, CustomTestStringConvertible {
            let name: String
            /// True if a late subscriber receives elements sent before it subscribed.
            let remembers: Bool
            /// True if elements arrive when they are sent, and not at the end.
            let isPrompt: Bool
            let make: @Sendable () -> (observable: Observable<Int>, send: @Sendable (Event<Int>) -> Void)

            var testDescription: String { name }
        }

        static let all: [Shared] = [
            subject("PublishSubject") { PublishSubject() },
            subject("BehaviorSubject", remembers: true) { BehaviorSubject(value: 0) },
            subject("ReplaySubject 1", remembers: true) { ReplaySubject.create(bufferSize: 1) },
            subject("ReplaySubject 3", remembers: true) { ReplaySubject.create(bufferSize: 3) },
            subject("ReplaySubject unbounded", remembers: true) { ReplaySubject.createUnbounded() },
            subject("AsyncSubject", isPrompt: false) { AsyncSubject() },
            shared("share()") { $0.share() },
            shared("share(replay: 1)", remembers: true) { $0.share(replay: 1) },
            shared("share(replay: 3)", remembers: true) { $0.share(replay: 3) },
            shared("share(scope: .forever)") { $0.share(scope: .forever) },
            shared("share(replay: 1, scope: .forever)", remembers: true) { $0.share(replay: 1, scope: .forever) },
            shared("share(replay: 3, scope: .forever)", remembers: true) { $0.share(replay: 3, scope: .forever) },
            shared("publish().refCount()") { $0.publish().refCount() },
            shared("replay(2).refCount()", remembers: true) { $0.replay(2).refCount() },
        ]

        private static func subject<Subject: SubjectType>(
            _ name: String, remembers: Bool = false, isPrompt: Bool = true,
            _ make: @escaping @Sendable () -> Subject
        ) -> Shared where Subject.Element == Int, Subject.Observer.Element == Int {
            Shared(name: name, remembers: remembers, isPrompt: isPrompt) {
                let subject = make()
                let observer = subject.asObserver()
                return (subject.asObservable(), { observer.on($0) })
            }
        }

        private static func shared(
            _ name: String, remembers: Bool = false, _ share: @escaping @Sendable (Observable<Int>) -> Observable<Int>
        ) -> Shared {
            Shared(name: name, remembers: remembers, isPrompt: true) {
                let port = Port(.create)
                // A subscriber that comes after the end of the source begins anew, and may receive any element. So the events
                // after the end go to the subscribers that received the end.
                let reached = AtomicWord(UInt(Int.max))
                return (
                    share(port.observable),
                    { event in
                        if event.isStopEvent { reached.storeReleasing(UInt(port.subscriptions)) }
                        port.send(event, toFirst: Int(reached.loadAcquiring()))
                    }
                )
            }
        }

        @Test("All observers see one order under two emitting threads", arguments: all)
        func allObserversSeeOneOrderUnderTwoThreads(_ shared: Shared) {
            for _ in 0..<10 {
                let (observable, send) = shared.make()
                let records = (0..<3).map { _ in Record() }
                let subscriptions = records.map { observable.subscribe(Witness($0)) }
                race([
                    { for number in 0..<200 { send(.next(100_000 + number)) } },
                    { for number in 0..<200 { send(.next(200_000 + number)) } },
                ])
                send(.completed)
                #expect(records.allSatisfy { $0.violation == nil && $0.hasEnded })
                #expect(records[1].elements == records[0].elements && records[2].elements == records[0].elements)
                if shared.isPrompt { #expect(records[0].elements.filter { $0 > 0 }.count == 400) }
                for subscription in subscriptions { subscription.dispose() }
            }
        }

        @Test("Events that an observer sends reach all observers in one order", arguments: all)
        func whatAnObserverSendsReachesAllInOneOrder(_ shared: Shared) {
            let (observable, send) = shared.make()
            let records = (0..<3).map { _ in Record() }
            records[0].onEvent = { _, event in
                if let element = event.element, element > 0, element < 5 { send(.next(element + 1)) }
            }
            let subscriptions = records.map { observable.subscribe(Witness($0)) }
            send(.next(1))
            send(.completed)
            for record in records {
                #expect(record.violation == nil)
                #expect(record.elements.filter { $0 > 0 } == (shared.isPrompt ? [1, 2, 3, 4, 5] : [1]))
            }
            for subscription in subscriptions { subscription.dispose() }
        }

        @Test("An observer disposed of by an earlier one receives nothing", arguments: all)
        func anObserverDisposedOfByAnEarlierOneSeesNothing(_ shared: Shared) {
            let (observable, send) = shared.make()
            let first = Record()
            let second = Record()
            let other = SerialDisposable()
            first.onEvent = { _, event in
                guard event.element == 2 || event.isStopEvent else { return }
                other.dispose()
                second.noteDisposed()
            }
            let subscription = observable.subscribe(Witness(first))
            other.disposable = observable.subscribe(Witness(second))
            for number in 1...3 { send(.next(number)) }
            send(.completed)
            #expect(second.afterDispose == 0)
            #expect(second.elements.filter { $0 > 0 } == (shared.isPrompt ? [1] : [3]))
            #expect(first.hasEnded && !second.hasEnded)
            subscription.dispose()
        }

        @Test("Late subscribers during an emission receive a suffix without gaps", arguments: all)
        func lateSubscribersDuringAnEmissionSeeAnUnbrokenRow(_ shared: Shared) {
            for _ in 0..<20 {
                let (observable, send) = shared.make()
                let keeper = observable.subscribe(Witness(Record()))
                let records = (0..<20).map { _ in Record() }
                race([
                    { for number in 1...200 { send(.next(number)) } },
                    { for record in records { _ = observable.subscribe(Witness(record)) } },
                ])
                send(.completed)
                for record in records {
                    #expect(record.violation == nil)
                    #expect(record.hasEnded)
                    let elements = record.elements
                    guard shared.isPrompt, let first = elements.first else { continue }
                    // From wherever it came in, each late subscriber sees everything, once.
                    #expect(elements == Array(first...max(first, 200)), "\(record.text)")
                }
                if shared.remembers { #expect(records.allSatisfy { $0.elements.last == 200 }) }
                keeper.dispose()
            }
        }

        @Test("Observers subscribe and leave while two threads emit", arguments: all)
        func observersComeAndGoWhileTwoThreadsSend(_ shared: Shared) {
            for _ in 0..<10 {
                let (observable, send) = shared.make()
                let records = (0..<30).map { _ in Record() }
                race([
                    {
                        for number in 0..<100 { send(.next(number + 1)) }
                        send(.completed)
                        send(.next(9_999))
                    },
                    {
                        for record in records {
                            let subscription = observable.subscribe(Witness(record))
                            subscription.dispose()
                            record.noteDisposed()
                        }
                    },
                ])
                for record in records {
                    #expect(record.violation == nil)
                    #expect(record.afterDispose <= 1)
                    #expect(!record.elements.contains(9_999))
                }
            }
        }

        @Test("A kept sequence releases its observers", arguments: all)
        func observersAreReleasedWhileTheSequenceIsKept(_ shared: Shared) {
            for end in [Event<Int>.completed, .error(LawError.source), nil] {
                Laws.expectNothingLeft(waiting: false) {
                    let (observable, send) = shared.make()
                    let record = Record()
                    weak var witness: Witness?
                    var subscriptions: [any Disposable] = []
                    do {
                        let made = Witness(record)
                        witness = made
                        subscriptions = [observable.subscribe(made), observable.subscribe(Witness(Record()))]
                    }
                    send(.next(1))
                    if let end { send(end) } else { for subscription in subscriptions { subscription.dispose() } }
                    #expect(witness == nil)
                    #expect(record.hasEnded == (end != nil))
                }
            }
        }
    }
}
