// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import RxTest
import TestSupport
import Testing

/// One test per line of KnownDifferences.md.
@Suite struct KnownDifferencesTests {
    @Test("An event sent from inside a callback follows the current one") func eventInCallback() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: {
            notes.note("a\($0)")
            if $0 == 1 { subject.onNext(2) }
        })
        _ = subject.subscribe(onNext: { notes.note("b\($0)") })
        subject.onNext(1)
        #expect(notes.lines == ["a1", "b1", "a2", "b2"])
    }

    @Test("A subject notifies its observers in the order of subscription") func subscriptionOrder() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        let first = subject.subscribe(onNext: { _ in notes.note("first") })
        for index in 0..<40 { _ = subject.subscribe(onNext: { _ in notes.note("\(index)") }) }
        first.dispose()
        _ = subject.subscribe(onNext: { _ in notes.note("last") })
        subject.onNext(1)
        #expect(notes.lines == (0..<40).map(String.init) + ["last"])
    }

    @Test("A disposed BehaviorSubject has released its last element") func elementOfDisposedSubject() {
        let isReleased = Guarded(false)
        let subject = BehaviorSubject(value: ReleaseToken(onRelease: { isReleased.value = true }))
        subject.onCompleted()
        #expect(!isReleased.value)
        subject.dispose()
        #expect(isReleased.value)
    }

    @Test("An observer disposed of during an emission receives nothing") func disposeDuringEmission() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        let later = SerialDisposable()
        _ = subject.subscribe(onNext: { _ in later.dispose() })
        later.disposable = subject.subscribe(onNext: { _ in notes.note("later") })
        subject.onNext(1)
        #expect(notes.lines.isEmpty)
    }

    @Test("An observer that disposes of itself at the last element of an AsyncSubject receives no `completed`")
    func disposeAtLastElement() {
        let notes = EventLog()
        let subject = AsyncSubject<Int>()
        let own = SerialDisposable()
        own.disposable = subject.subscribe(
            onNext: { _ in own.dispose() }, onCompleted: { notes.note("completed") }, onDisposed: { notes.note("end") })
        subject.onNext(1)
        subject.onCompleted()
        #expect(notes.lines == ["end"])
    }

    @Test("A subscriber from inside a handler receives the events still queued") func lateSubscriberInHandler() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: { element in
            guard element == 1 else { return }
            subject.onNext(2)
            _ = subject.subscribe(onNext: { notes.note("late subscriber \($0)") })
        })
        subject.onNext(1)
        #expect(notes.lines == ["late subscriber 2"])
    }

    @Test("An element sent inside a replay reaches the new subscriber") func sentInsideReplay() {
        let notes = EventLog()
        let subject = ReplaySubject<Int>.createUnbounded()
        subject.onNext(1)
        _ = subject.subscribe(onNext: { element in
            if element == 1 { subject.onNext(2) }
            notes.note("got \(element)")
        })
        subject.onNext(3)
        #expect(notes.lines == ["got 1", "got 2", "got 3"])
    }

    @Test("share() releases its source at the terminal event") func shareReleasesSource() {
        final class Resource {}
        let source = PublishSubject<Int>()
        weak var watched: Resource?
        var kept: [any Disposable] = []
        do {
            let resource = Resource()
            watched = resource
            let shared = source.map { element -> Int in
                withExtendedLifetime(resource) { element }
            }.share(replay: 1)
            kept.append(shared.subscribe())
        }
        #expect(watched != nil)
        source.onCompleted()
        #expect(watched == nil)
        for subscription in kept { subscription.dispose() }
    }

    @Test("Groups complete in the order of their appearance") func groupCompletionOrder() {
        let notes = EventLog()
        _ = Observable.from(Array(0..<50)).groupBy { $0 }.subscribe(onNext: { group in
            _ = group.subscribe(onCompleted: { notes.note("\(group.key)") })
        })
        #expect(notes.lines == (0..<50).map(String.init))
    }

    @Test("timeout forwards no element of its other source after dispose") func timeoutOtherDisposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let other = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = Observable<Int>.never().timeout(.seconds(10), other: other, scheduler: scheduler)
            .subscribe(observer)
        scheduler.scheduleAt(20) {
            other.onNext(1)
            subscription.dispose()
            other.onNext(2)
        }
        scheduler.start()
        #expect(observer.events == [.next(20, 1)])
    }

    @Test("retry(when:) resubscribes without recursion") func retryWhenDepth() {
        struct Failed: Error {}
        let steps = 20_000
        let attempts = EventLog()
        let count = AtomicWord(0)
        _ = Observable<Int>.create { observer in
            if count.fetchAdd(1) < UInt(steps) {
                observer.onError(Failed())
            } else {
                observer.onCompleted()
            }
            return Disposables.create()
        }.retry { (errors: Observable<any Error>) in errors }.subscribe(onCompleted: { attempts.note("completed") })
        #expect(attempts.lines == ["completed"])
        #expect(count.loadRelaxed() == UInt(steps) + 1)
    }

    @Test("delay reads no wall clock on the library's own schedulers") func delayClock() {
        // The clock that our schedulers give to the engine is monotonic; `now`, the wall clock, is not asked.
        final class NoClock: SchedulerType, @unchecked Sendable {
            let inner = SerialDispatchQueueScheduler(qos: .default)
            let asked = EventLog()
            var now: RxTime {
                asked.note("now")
                return inner.now
            }
            func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
                inner.schedule(state, action: { state in action(state) })
            }
            func scheduleRelative<State>(
                _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
            ) -> any Disposable {
                inner.scheduleRelative(state, dueTime: dueTime, action: { state in action(state) })
            }
        }
        let foreign = NoClock()
        let done = DispatchSemaphore(value: 0)
        let subscriptions = [
            Observable.just(1).delay(.milliseconds(1), scheduler: foreign).subscribe(onCompleted: { done.signal() }),
            Observable.just(1).delay(.milliseconds(1), scheduler: foreign.inner).subscribe(onCompleted: {
                done.signal()
            }),
        ]
        for _ in subscriptions { #expect(done.wait(timeout: .now() + 20) == .success) }
        #expect(!foreign.asked.lines.isEmpty, "a scheduler that is not ours has nothing but now")
    }

    @Test("An event from another thread waits for the running callback") func eventFromThread() {
        let subject = PublishSubject<Int>()
        let notes = EventLog()
        let isSent = DispatchSemaphore(value: 0)
        _ = subject.subscribe(onNext: { element in
            notes.note("\(element)(")
            if element == 1 {
                Thread.detachNewThread {
                    subject.onNext(2)
                    isSent.signal()
                }
                isSent.wait()
            }
            notes.note(")")
        })
        subject.onNext(1)
        #expect(settles { notes.lines == ["1(", ")", "2(", ")"] })
    }

    private static let endlessSources: [(String, Observable<Int>)] = [
        ("publish", Observable.repeatElement(1).publish().refCount()),
        ("replay", Observable.repeatElement(1).replay(2).refCount()),
        ("share", Observable.repeatElement(1).share()),
        ("share(replay: 1)", Observable.repeatElement(1).share(replay: 1)),
        ("share(replay: 2, scope: .forever)", Observable.repeatElement(1).share(replay: 2, scope: .forever)),
        ("multicast", Observable.repeatElement(1).multicast(BehaviorSubject(value: 0)).refCount()),
    ]

    @Test("take(1) ends an endless shared source", arguments: endlessSources)
    func endlessShared(name: String, source: Observable<Int>) {
        let log = EventLog()
        _ = log.observe(source.take(1))
        #expect(log.lines.count == 2 && log.lines.last == "completed")
    }

    @Test("amb keeps its winner when the loser ends at once") func ambWinner() {
        let log = EventLog()
        _ = log.observe(Observable<Int>.never().startWith(0).amb(Observable.empty()))
        #expect(log.text == "0")
        let second = EventLog()
        _ = second.observe(Observable.of(1, 2).startWith(0).amb(Observable.just(9)))
        #expect(second.text == "0 1 2 completed")
    }

    @Test("skip(until:) ignores an error of a trigger that has fired") func spentTriggerError() {
        let log = EventLog()
        let source = PublishSubject<Int>()
        let trigger = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(NumberedFailure(1))
            return Disposables.create()
        }
        _ = log.observe(source.skip(until: trigger))
        source.onNext(1)
        #expect(log.text == "1")
    }

    @Test("A producer that finds a subject busy does not wait") func busyProducer() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        let isInside = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        _ = subject.subscribe(onNext: { element in
            notes.note("\(element)")
            guard element == 1 else { return }
            isInside.signal()
            mayLeave.wait()
        })
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            subject.onNext(1)
            done.signal()
        }
        isInside.wait()
        subject.onNext(2)
        #expect(notes.lines == ["1"])
        mayLeave.signal()
        done.wait()
        #expect(notes.lines == ["1", "2"])
    }

    @Test("take ends an endless inner source") func endlessInner() {
        let notes = EventLog()
        let subject = PublishSubject<Int>()
        _ = subject.flatMap { Observable.repeatElement($0) }.take(2).subscribe(
            onNext: { notes.note("\($0)") }, onCompleted: { notes.note("completed") })
        subject.onNext(7)
        #expect(notes.lines == ["7", "7", "completed"])
    }

    @Test("Closures above take do not run after its last element") func closuresAfterTake() {
        let notes = EventLog()
        _ = Observable<Int>.create { observer in
            for element in 1...3 { observer.onNext(element) }
            return Disposables.create()
        }.map { element -> Int in
            notes.note("map \(element)")
            return element
        }.take(1).subscribe()
        #expect(notes.lines == ["map 1"])
    }

    @Test("Virtual time runs off the main thread") func virtualTimeThread() {
        let notes = EventLog()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let scheduler = TestScheduler(initialClock: 0)
            let observer = scheduler.start { Observable<Int>.timer(.seconds(10), scheduler: scheduler) }
            notes.note("\(observer.events)")
            done.signal()
        }
        done.wait()
        #expect(notes.lines == ["[next(0) @ 210, completed @ 210]"])
    }

    @Test("A disposed recursion schedules nothing") func disposedRecursion() {
        let scheduler = HistoricalScheduler()
        let notes = EventLog()
        let recursion = SerialDisposable()
        recursion.disposable = scheduler.scheduleRecursive(0) { step, recurse in
            notes.note("\(step)")
            recursion.dispose()
            recurse(step + 1)
        }
        scheduler.start()
        #expect(notes.lines == ["0"])
    }

    @Test("A superseded inner source sends nothing more") func supersededInner() {
        let notes = EventLog()
        let inner = PublishSubject<Int>()
        let outer = PublishSubject<Observable<Int>>()
        _ = outer.switchLatest().subscribe(onNext: { element in
            notes.note("\(element)")
            guard element == 1 else { return }
            inner.onNext(2)
            outer.onNext(.never())
        })
        outer.onNext(inner)
        inner.onNext(1)
        inner.onNext(3)
        #expect(notes.lines == ["1"])
    }

    @Test("groupBy makes no group that has no possible observer") func unreachableGroup() {
        let notes = EventLog()
        let source = PublishSubject<Int>()
        let groups = source.groupBy { element -> Int in
            notes.note("key \(element)")
            return element
        }
        let outer = groups.subscribe(onNext: { group in
            _ = group.subscribe(onNext: { notes.note("group \($0)") })
        })
        source.onNext(1)
        outer.dispose()
        source.onNext(1)
        source.onNext(2)
        #expect(notes.lines == ["key 1", "group 1", "key 1", "group 1", "key 2"])
    }

    @Test("throttle does not round its interval") func throttleSpan() {
        let scheduler = HistoricalScheduler()
        let notes = EventLog()
        let source = PublishSubject<Int>()
        _ = source.throttle(.seconds(1), latest: true, scheduler: scheduler).subscribe(onNext: { element in
            notes.note("\(element) at \(scheduler.now.timeIntervalSince1970)")
        })
        source.onNext(1)
        scheduler.advanceTo(Date(timeIntervalSince1970: 0.25))
        source.onNext(2)
        scheduler.advanceTo(Date(timeIntervalSince1970: 5))
        #expect(notes.lines == ["1 at 0.0", "2 at 1.0"])
    }

    /// In a process of its own: the hooks belong to the process.
    @Test("No call stack is captured by default") func noCallStack() async {
        await #expect(processExitsWith: .success) {
            let notes = EventLog()
            Hooks.defaultErrorHandler = { callStack, error in notes.note("\(error) from \(callStack)") }
            Hooks.recordCallStackOnError = true
            _ = Observable<Int>.error(Failure.expected).subscribe()
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            _ = Observable<Int>.error(Failure.other).subscribe()
            precondition(notes.lines == ["expected from []", "other from [\"here\"]"], notes.text)
        }
    }

    @Test("sample notices a completion from inside its callback at the next tick") func sampleCompletion() {
        let notes = EventLog()
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Void>()
        _ = notes.observe(source.sample(sampler)) { if !$0.isStopEvent { source.onCompleted() } }
        source.onNext(1)
        sampler.onNext(())
        #expect(notes.lines == ["1"])
        sampler.onNext(())
        #expect(notes.lines == ["1", "completed"])
        #expect(!sampler.hasObservers)
    }

    @Test("A late subscriber of refCount keeps the connection of a leaving subscriber") func refCountHandover() {
        let notes = EventLog()
        let source = BehaviorSubject(value: 0).do(onSubscribe: { notes.note("connect") })
        let shared = source.share(replay: 1, scope: .forever)
        // The element that is repeated for the second one has the first one leave.
        let subscription = notes.observe(shared.element(at: 1).amb(shared))
        subscription.dispose()
        #expect(notes.lines == ["connect", "0"])
    }
}
