// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Nesting on the main queue as in RxSwift: each `MainScheduler` object counts its own running actions, and its timers do not
/// count. The expected values follow from RxSwift's MainScheduler.scheduleInternal.
@Suite(.serialized) struct MainSchedulerNestingTests {
    private final class Box: ReactiveCompatible, @unchecked Sendable { var text = "-" }

    private func lines(_ body: @escaping @Sendable (EventLog) -> any Disposable) async -> [String] {
        let log = EventLog()
        await onMainQueue {
            let subscription = body(log)
            log.note("|")
            subscription.dispose()
        }
        return log.lines
    }

    @Test("Two main schedulers nest inline") func twoSchedulers() async {
        #expect(
            await lines { log in
                let (a, b) = (MainScheduler(), MainScheduler())
                return a.schedule(()) {
                    _ = b.schedule(()) {
                        log.note("inner")
                        return Disposables.create()
                    }
                    log.note("outer")
                    return Disposables.create()
                }
            } == ["inner", "outer", "|"])
    }

    @Test("A driver writes through a binder at once") func driverToBinder() async {
        let box = Box()
        #expect(
            await lines { log in
                let relay = BehaviorRelay(value: "a")
                let subscription = relay.asDriver().drive(box.rx.text)
                log.note(box.text)
                relay.accept("b")
                log.note(box.text)
                return subscription
            } == ["a", "b", "|"])
    }

    @Test("A driver drives a relay whose driver delivers at once") func driverToRelay() async {
        #expect(
            await lines { log in
                let (a, b) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
                let second = b.asDriver().drive(onNext: { log.note("b\($0)") })
                let first = a.asDriver().drive(b)
                a.accept(1)
                log.note("accepted 1")
                a.accept(2)
                log.note("accepted 2")
                return Disposables.create(first, second)
            } == ["b0", "b0", "b1", "accepted 1", "b2", "accepted 2", "|"])
    }

    @Test("A driver inside flatMapLatest delivers at once") func driverInFlatMapLatest() async {
        #expect(
            await lines { log in
                let relay = BehaviorRelay(value: 1)
                let subscription = relay.asDriver()
                    .flatMapLatest { n in Observable.of(n, n * 10).asDriver(onErrorJustReturn: 0) }
                    .drive(onNext: { log.note("\($0)") })
                relay.accept(2)
                return subscription
            } == ["1", "10", "2", "20", "|"])
    }

    /// The fault: as such an element waits until the subject has delivered the one before, its hop found the scheduler free.
    @Test("What the main scheduler's work feeds back into its source comes in a later turn") func feedback() async {
        let log = EventLog()
        await onMainQueue {
            let subject = PublishSubject<Int>()
            _ = subject.observe(on: MainScheduler.instance).subscribe(onNext: { number in
                log.note("\(number)")
                if number < 10 { subject.onNext(number + 10) }
                log.note("end of \(number)")
            })
            subject.onNext(1)
            log.note("|")
            subject.onNext(2)
        }
        let expected = ["1", "end of 1", "|", "11", "end of 11", "2", "end of 2", "12", "end of 12"]
        #expect(await eventually { log.lines.count == expected.count })
        #expect(log.lines == expected)
    }

    @Test("A driver that is subscribed to behind a feedback misses nothing") func feedbackOfDriver() async {
        let log = EventLog()
        await onMainQueue {
            let relay = PublishRelay<Int>()
            let driver = relay.asDriver(onErrorJustReturn: 0)
            _ = driver.drive(onNext: { number in
                log.note("a\(number)")
                if number < 3 { relay.accept(number + 1) }
            })
            relay.accept(1)
            log.note("|")
            _ = driver.drive(onNext: { log.note("b\($0)") })
        }
        let expected = ["a1", "|", "b1", "a2", "b2", "a3", "b3"]
        #expect(await eventually { log.lines.count == expected.count })
        #expect(log.lines == expected)
    }

    @Test("What a main scheduler's work feeds back comes at once on another one") func feedbackToOther() async {
        let log = EventLog()
        await onMainQueue {
            let subject = PublishSubject<Int>()
            _ = subject.observe(on: MainScheduler()).subscribe(onNext: { number in
                log.note("a\(number)")
                if number == 1 { subject.onNext(2) }
            })
            _ = subject.observe(on: MainScheduler()).subscribe(onNext: { log.note("b\($0)") })
            subject.onNext(1)
            log.note("|")
        }
        #expect(await eventually { log.lines.count == 5 })
        #expect(log.lines == ["a1", "b1", "b2", "|", "a2"])
    }

    /// Sources whose steps run on the main scheduler.
    private static let sources: [(String, @Sendable () -> Observable<Int>)] = [
        ("Driver.of", { Driver.of(1, 2).asObservable() }),
        ("Driver.from", { Driver.from([1, 2]).asObservable() }),
        ("Signal.of", { Signal.of(1, 2).asObservable() }),
        ("of", { .of(1, 2, scheduler: MainScheduler.instance) }),
        ("from", { .from(AnySequence([1, 2]), scheduler: MainScheduler.instance) }),
        ("range", { .range(start: 1, count: 2, scheduler: MainScheduler.instance) }),
        ("repeatElement", { .repeatElement(1, scheduler: MainScheduler.instance).scan(0, accumulator: { $0 + $1 }) }),
        (
            "generate",
            {
                .generate(
                    initialState: 1, condition: { $0 < 3 }, scheduler: MainScheduler.instance, iterate: { $0 + 1 })
            }
        ),
    ]

    @Test(
        "A source on the main scheduler sends its first element at once, and the others later",
        arguments: sources.indices)
    func firstElement(index: Int) async {
        let source = Self.sources[index].1
        #expect(await lines { log in source().subscribe(onNext: { log.note("\($0)") }) } == ["1", "|"])
        #expect(
            await lines { log in
                source().take(1).subscribe(onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") })
            } == ["1", "completed", "|"])
        let log = EventLog()
        await onMainQueue { _ = source().take(2).subscribe(onNext: { log.note("\($0)") }) }
        #expect(await eventually { log.lines == ["1", "2"] })
    }

    @Test("Sources on the main scheduler take turns from the second element on") func turns() async {
        let log = EventLog()
        await onMainQueue {
            _ = Observable.merge(
                .range(start: 0, count: 3, scheduler: MainScheduler.instance),
                .range(start: 10, count: 3, scheduler: MainScheduler.instance)
            ).subscribe(onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") })
            log.note("|")
        }
        #expect(await eventually { log.lines.contains("completed") })
        #expect(log.lines == ["0", "|", "1", "10", "2", "11", "12", "completed"])
    }

    @Test("A source disposed of in its first element sends no other") func disposedInFirst() async {
        #expect(
            await lines { log in
                let disposable = SerialDisposable()
                let source = Observable.range(start: 1, count: 5, scheduler: MainScheduler.instance)
                disposable.disposable = source.subscribe(onNext: {
                    log.note("\($0)")
                    disposable.dispose()
                })
                return disposable
            } == ["1", "|"])
    }

    @Test("A timer does not keep the main scheduler busy", arguments: [true, false])
    func timer(isSameObject: Bool) async {
        let log = EventLog()
        let subscription = Observable<Int>.timer(.milliseconds(2), scheduler: MainScheduler.instance)
            .do(onNext: { _ in log.note("before") }, afterNext: { _ in log.note("after") })
            .observe(on: isSameObject ? MainScheduler.instance : MainScheduler())
            .subscribe(onNext: { _ in log.note("got") }, onCompleted: { log.note("completed") })
        #expect(await eventually { log.lines.contains("completed") })
        #expect(log.lines == ["before", "got", "after", "completed"])
        subscription.dispose()
    }

    @Test("A hop to the main queue reaches a binder inline") func hopToBinder() async {
        let (box, log) = (Box(), EventLog())
        let subscription = Observable.just("a").observe(on: SerialDispatchQueueScheduler(qos: .default))
            .observe(on: MainScheduler.instance)
            .do(onNext: { _ in log.note("before") }, afterNext: { _ in log.note("after") })
            .bind(to: Binder(box) { _, _ in log.note("bound") })
        #expect(await eventually { log.lines.count == 3 })
        #expect(log.lines == ["before", "bound", "after"])
        subscription.dispose()
    }

    // MARK: One order for all schedulers of the main queue

    /// The fault: each driver had a queue of its own, and a spinner went before the content came.
    @Test("What another thread sends to several drivers and schedulers arrives in the order of sending") func oneOrder()
        async
    {
        let log = EventLog()
        let (loading, items) = (BehaviorRelay(value: false), BehaviorRelay(value: 0))
        let (instance, async) = (PublishSubject<Int>(), PublishSubject<Int>())
        let bag = DisposeBag()
        await onMainQueue {
            loading.asDriver().skip(1).drive(onNext: { log.note("loading \($0)") }).disposed(by: bag)
            items.asDriver().skip(1).drive(onNext: { log.note("items \($0)") }).disposed(by: bag)
            instance.observe(on: MainScheduler.instance).subscribe(onNext: { log.note("instance \($0)") })
                .disposed(by: bag)
            async.observe(on: MainScheduler.asyncInstance).subscribe(onNext: { log.note("async \($0)") })
                .disposed(by: bag)
        }
        DispatchQueue.global().sync {
            loading.accept(true)
            items.accept(1)
            async.onNext(1)
            instance.onNext(1)
            async.onNext(2)
            loading.accept(false)
            items.accept(2)
        }
        let expected = [
            "loading true", "items 1", "async 1", "instance 1", "async 2", "loading false", "items 2",
        ]
        #expect(await eventually { log.lines.count == expected.count })
        #expect(log.lines == expected)
    }

    @Test("Two drivers of the same elements take turns") func driversTakeTurns() async {
        let log = EventLog()
        await onMainQueue {
            _ = Driver.of(1, 2, 3).drive(onNext: { log.note("a\($0)") })
            _ = Driver.of(1, 2, 3).drive(onNext: { log.note("b\($0)") })
        }
        #expect(await eventually { log.lines.count == 6 })
        #expect(log.lines == ["a1", "b1", "a2", "b2", "a3", "b3"])
    }

    @Test("Work for the main scheduler comes before what is handed to the main queue later") func handedOverInside()
        async
    {
        let log = EventLog()
        let bag = DisposeBag()
        await onMainQueue {
            let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
            b.observe(on: MainScheduler.instance).subscribe(onNext: { log.note("b\($0)") }).disposed(by: bag)
            a.observe(on: MainScheduler.instance).subscribe(onNext: { _ in
                b.onNext(1)
                DispatchQueue.main.async { log.note("raw") }
            }).disposed(by: bag)
            a.onNext(1)
        }
        #expect(await eventually { log.lines.count == 2 })
        #expect(log.lines == ["b1", "raw"])
    }

    /// Each feeds the next element back from the callback, up to the limit.
    private static let feedbackLoops: [(String, @Sendable (Int, EventLog) -> any Disposable)] = [
        (
            "driver",
            { limit, log in
                let relay = BehaviorRelay(value: 0)
                return relay.asDriver().drive(onNext: {
                    if $0 < limit { relay.accept($0 + 1) } else { log.note("limit") }
                })
            }
        ),
        (
            "signals that ping-pong",
            { limit, log in
                let (a, b) = (PublishRelay<Int>(), PublishRelay<Int>())
                let first = a.asSignal().emit(onNext: { if $0 < limit { b.accept($0 + 1) } else { log.note("limit") } })
                let second = b.asSignal().emit(onNext: { a.accept($0 + 1) })
                a.accept(0)
                return Disposables.create(first, second)
            }
        ),
        (
            "observe(on:)",
            { limit, log in
                let subject = PublishSubject<Int>()
                let subscription = subject.observe(on: MainScheduler.instance)
                    .subscribe(onNext: { if $0 < limit { subject.onNext($0 + 1) } else { log.note("limit") } })
                subject.onNext(0)
                return subscription
            }
        ),
    ]

    /// The fault: all elements were delivered within the first call, however many there were.
    @Test("A feedback loop on the main queue lets others have their turn", arguments: feedbackLoops.indices)
    func feedback(index: Int) async {
        let log = EventLog()
        let bag = DisposeBag()
        await onMainQueue {
            DispatchQueue.main.async { log.note("other") }
            Self.feedbackLoops[index].1(100_000, log).disposed(by: bag)
            log.note("returned")
        }
        #expect(await eventually { log.lines.contains("limit") })
        #expect(log.lines == ["returned", "other", "limit"])
    }

    @Test("A callback that waits can run other work of the main queue, but none for its own observer")
    func waitingCallback() async {
        let log = EventLog()
        let (a, b, c) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let bag = DisposeBag()
        a.observe(on: MainScheduler()).subscribe(onNext: {
            log.note("a\($0)")
            if $0 == 1 { b.onNext(1) }
            log.note("end of a\($0)")
        }).disposed(by: bag)
        b.observe(on: MainScheduler()).subscribe(onNext: { _ in
            DispatchQueue.global().sync {
                c.onNext(1)
                a.onNext(2)
            }
            while MainScheduler.runNextBehindInline() {}
            log.note("end of b")
        }).disposed(by: bag)
        c.observe(on: MainScheduler()).subscribe(onNext: { log.note("c\($0)") }).disposed(by: bag)
        DispatchQueue.global().sync { a.onNext(1) }
        #expect(await eventually { log.lines.contains("end of a2") })
        #expect(log.lines == ["a1", "c1", "end of b", "end of a1", "a2", "end of a2"])
    }
}
