import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct ConversionsTests {
        /// One way to convert, and what becomes of a source that sends 1 at 210 and fails at 250.
        struct Way: @unchecked Sendable, CustomTestStringConvertible {
            let name: String
            let tail: [Recorded<Event<Int>>]
            let convert: @Sendable (Observable<Int>) -> Observable<Int>
            var testDescription: String { name }
        }

        static let justReturn: [Recorded<Event<Int>>] = [.next(251, -1), .completed(251)]
        static let goOn: [Recorded<Event<Int>>] = [.next(252, -1), .completed(252)]

        static let ways: [Way] = [
            Way(name: "asDriver(onErrorJustReturn:)", tail: justReturn) {
                $0.asDriver(onErrorJustReturn: -1).asObservable()
            },
            Way(name: "asSignal(onErrorJustReturn:)", tail: justReturn) {
                $0.asSignal(onErrorJustReturn: -1).asObservable()
            },
            Way(name: "asSharedSequence(onErrorJustReturn:)", tail: justReturn) {
                $0.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorJustReturn: -1).asObservable()
            },
            Way(name: "asDriver(onErrorDriveWith:)", tail: goOn) {
                $0.asDriver(onErrorDriveWith: .just(-1)).asObservable()
            },
            Way(name: "asSignal(onErrorSignalWith:)", tail: goOn) {
                $0.asSignal(onErrorSignalWith: .just(-1)).asObservable()
            },
            Way(name: "asSharedSequence(onErrorDriveWith:)", tail: goOn) {
                $0.asSharedSequence(onErrorDriveWith: Signal.just(-1)).asObservable()
            },
            Way(name: "asDriver(onErrorRecover:)", tail: goOn) {
                $0.asDriver { $0 as? Failure == .expected ? .just(-1) : .empty() }.asObservable()
            },
            Way(name: "asSignal(onErrorRecover:)", tail: goOn) {
                $0.asSignal { $0 as? Failure == .expected ? .just(-1) : .empty() }.asObservable()
            },
            Way(name: "asSharedSequence(onErrorRecover:)", tail: goOn) {
                $0.asSharedSequence(sharingStrategy: DriverSharingStrategy.self) {
                    $0 as? Failure == .expected ? .just(-1) : .empty()
                }.asObservable()
            },
        ]

        @Test(arguments: ways) func anErrorArrivesOnTheSchedulerAndIsReplaced(_ way: Way) {
            let events = virtually { scheduler in
                way.convert(
                    scheduler.createHotObservable(script((210, 1)) + [.error(250, Failure.expected)]).asObservable())
            }
            #expect(events == [.next(211, 1)] + way.tail)
        }

        @Test(arguments: ways) func aSourceThatCompletesIsLeftAlone(_ way: Way) {
            let events = virtually { scheduler in
                way.convert(scheduler.createHotObservable(script((210, 1)) + [.completed(250)]).asObservable())
            }
            #expect(events == [.next(211, 1), .completed(251)])
        }

        @Test func relaysAndInfalliblesNeedNoWord() {
            #expect(virtually { _ in BehaviorRelay(value: 1).asDriver() } == [.next(201, 1)])
            #expect(virtually { _ in PublishRelay<Int>().asSignal() } == [])
            #expect(
                virtually { _ in Driver.of(1, 2).asInfallible().asDriver() }
                    == [.next(202, 1), .next(203, 2), .completed(204)])
            #expect(virtually { _ in Driver.just(1).asDriver() } == [.next(201, 1), .completed(201)])
            #expect(virtually { _ in Signal.just(1).asSignal() } == [.next(201, 1), .completed(201)])
            #expect(virtually { _ in Driver.just(1).asInfallible() } == [.next(201, 1), .completed(201)])
        }

        @Test func anInfallibleCompletesWhereAClosureThrew() {
            let events = virtually { _ in
                Driver.zip([Driver.just(1), Driver.just(2)]) { (_: [Int]) -> Int in throw Failure.expected }
                    .asInfallible()
            }
            #expect(events == [.completed(201)])
        }

        @Test func aRelaysDriverSharesAndRepeats() {
            let scheduler = ticks()
            let observers = [scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)]
            let relay = BehaviorRelay(value: 1)
            SharingScheduler.mock(scheduler: scheduler) {
                let driver = relay.asDriver()
                let subscriptions = CompositeDisposable(disposables: [driver.drive(observers[0])])
                scheduler.scheduleAt(100) { relay.accept(2) }
                scheduler.scheduleAt(200) { _ = subscriptions.insert(driver.drive(observers[1])) }
                scheduler.scheduleAt(300) { subscriptions.dispose() }
                scheduler.scheduleAt(310) { relay.accept(3) }
                scheduler.start()
            }
            #expect(observers[0].events == [.next(1, 1), .next(101, 2)])
            // Inside `drive`, without a hop.
            #expect(observers[1].events == [.next(200, 2)])
        }

        @Test func aUsersTypeIsConvertedByItsSharedSequence() {
            struct Label: SharedSequenceConvertibleType {
                typealias Element = String
                typealias SharingStrategy = DriverSharingStrategy
                func asSharedSequence() -> Driver<String> { .just("text") }
            }
            #expect(virtually { _ in Label() } == [.next(201, "text"), .completed(201)])
            #expect(virtually { _ in Label().map(\.count) } == [.next(201, 4), .completed(201)])
        }

        @Test func aUsersStrategyDecidesHowToShare() {
            struct Unshared: SharingStrategyProtocol {
                static var scheduler: any SchedulerType { HereScheduler() }
                static func share<Element>(_ source: Observable<Element>) -> Observable<Element> { source }
            }
            nonisolated(unsafe) var subscriptions = 0
            let source = Observable<Int>.deferred {
                subscriptions += 1
                return .of(1, 2)
            }
            let shared = source.asSharedSequence(sharingStrategy: Unshared.self, onErrorJustReturn: 0)
            #expect(text(of: shared.map { $0 + 1 }.asObservable()) == "2 3 completed")
            #expect(text(of: shared.asObservable()) == "1 2 completed")
            #expect(subscriptions == 2)
        }
    }
}
