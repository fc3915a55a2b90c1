// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct OperatorsTests {
        @Test(
            "An operator of a driver equals that of an observable and shares",
            arguments: Twin.transforming + Twin.timed + Twin.flattening + Twin.combining + Twin.creating, Twin.courses)
        func twins(twin: Twin, course: Twin.Course) {
            #expect(twin.outcomeOfDriver(course) == twin.outcomeOfPlain(course))
        }

        @Test("Closures run once for all subscribers") func closuresRunOnce() {
            let scheduler = ticks()
            nonisolated(unsafe) var runs = 0
            SharingScheduler.mock(scheduler: scheduler) {
                let source = scheduler.createHotObservable(script((210, 1), (220, 2)))
                let driver: Driver<Int> = source.asDriver(onErrorJustReturn: 0).map {
                    runs += 1
                    return $0
                }
                let subscriptions = [driver.drive(), driver.drive(), driver.drive()]
                scheduler.scheduleAt(300) { for subscription in subscriptions { subscription.dispose() } }
                scheduler.start()
                #expect(source.subscriptions == [Subscription(0, 300)])
            }
            #expect(runs == 2)
        }

        @Test("A late subscriber to a signal receives no earlier element") func signalLateSubscriber() {
            let scheduler = ticks()
            let observer = scheduler.createObserver(Int.self)
            SharingScheduler.mock(scheduler: scheduler) {
                let source = scheduler.createHotObservable(script((210, 1), (310, 2)))
                let signal: Signal<Int> = source.asSignal(onErrorJustReturn: 0).map { $0 * 10 }
                let subscriptions = CompositeDisposable(disposables: [signal.emit()])
                scheduler.scheduleAt(250) { _ = subscriptions.insert(signal.emit(to: observer)) }
                scheduler.scheduleAt(400) { subscriptions.dispose() }
                scheduler.start()
                #expect(source.subscriptions == [Subscription(0, 400)])
            }
            #expect(observer.events == [.next(311, 20)])
        }

        @Test("A driver of signals flattens to a signal, which repeats nothing") func innerStrategy() {
            let relay = PublishRelay<Int>()
            let scheduler = ticks()
            let early = scheduler.createObserver(Int.self)
            let late = scheduler.createObserver(Int.self)
            SharingScheduler.mock(scheduler: scheduler) {
                let signal: Signal<Int> = Driver.just(1).flatMapLatest { _ in relay.asSignal() }
                let subscriptions = CompositeDisposable(disposables: [signal.emit(to: early)])
                scheduler.scheduleAt(100) { relay.accept(7) }
                scheduler.scheduleAt(200) { _ = subscriptions.insert(signal.emit(to: late)) }
                scheduler.scheduleAt(300) { subscriptions.dispose() }
                scheduler.start()
            }
            #expect(early.events == [.next(101, 7)])
            #expect(late.events == [])
        }

        @Test("withUnretained completes when the object is released") func withUnretained() {
            final class Object: @unchecked Sendable {}
            let scheduler = ticks()
            let observer = scheduler.createObserver(Int.self)
            nonisolated(unsafe) var object: Object? = Object()
            SharingScheduler.mock(scheduler: scheduler) {
                let source = scheduler.createHotObservable(script((210, 1), (220, 2), (230, 3)))
                let signal: Signal<Int> = source.asSignal(onErrorJustReturn: 0)
                let paired: Signal<Int> = signal.withUnretained(object!).map { $0.1 }
                let selected: Signal<Int> = paired.withUnretained(object!) { _, element in element + 1 }
                _ = selected.emit(to: observer)
                scheduler.scheduleAt(225) { object = nil }
                scheduler.start()
                #expect(source.subscriptions == [Subscription(0, 231)])
            }
            #expect(observer.events == [.next(211, 2), .next(221, 3), .completed(231)])
        }

        @Test("A long chain of drivers needs little stack") func longChain() {
            let length = stepCount(5_000, debug: 400)
            let (sum, isReleased) = onEightMebibytes {
                let relay = PublishRelay<Int>()
                nonisolated(unsafe) var sum = 0
                weak var released: ReleaseToken?
                do {
                    let token = ReleaseToken()
                    released = token
                    var driver: Driver<Int> = relay.asObservable().asDriverInline()
                    for _ in 0..<length {
                        driver = driver.map { element in withExtendedLifetime(token) { element + 1 } }
                    }
                    let subscription = driver.drive(onNext: { sum += $0 })
                    relay.accept(0)
                    relay.accept(1)
                    subscription.dispose()
                }
                return (sum, released == nil)
            }
            #expect(sum == 2 * length + 1)
            #expect(isReleased)
        }
    }
}

extension Observable {
    /// A driver that delivers on the thread that emits.
    fileprivate func asDriverInline() -> Driver<Element> {
        var driver = Driver<Element>.never()
        SharingScheduler.mock(scheduler: HereScheduler()) {
            driver = asDriver(onErrorDriveWith: .empty())
        }
        return driver
    }
}
