// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

extension SharedSequences {
    @Suite struct ConversionsTests {
        /// A conversion, and the diagram of its result for a source that sends 1 and fails.
        struct Way: @unchecked Sendable, CustomTestStringConvertible {
            let name: String
            let result: String
            let convert: @Sendable (Observable<Int>) -> Observable<Int>
            var testDescription: String { name }
        }

        /// The sharing scheduler takes a tick, and another one for the events of a driver that replaces the error.
        static let source = "-1---#"
        static let direct = "--1---(9|)"
        static let hopped = "--1----(9|)"

        private static func events(_ diagram: String) throws -> [Recorded<Event<Int>>] {
            try Recorded.events(marbles: diagram, start: 200, error: Failure.expected) { $0.wholeNumberValue }
        }

        static let ways: [Way] = [
            Way(name: "asDriver(onErrorJustReturn:)", result: direct) {
                $0.asDriver(onErrorJustReturn: 9).asObservable()
            },
            Way(name: "asSignal(onErrorJustReturn:)", result: direct) {
                $0.asSignal(onErrorJustReturn: 9).asObservable()
            },
            Way(name: "asSharedSequence(onErrorJustReturn:)", result: direct) {
                $0.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorJustReturn: 9).asObservable()
            },
            Way(name: "asDriver(onErrorDriveWith:)", result: hopped) {
                $0.asDriver(onErrorDriveWith: .just(9)).asObservable()
            },
            Way(name: "asSignal(onErrorSignalWith:)", result: hopped) {
                $0.asSignal(onErrorSignalWith: .just(9)).asObservable()
            },
            Way(name: "asSharedSequence(onErrorDriveWith:)", result: hopped) {
                $0.asSharedSequence(onErrorDriveWith: Signal.just(9)).asObservable()
            },
            Way(name: "asDriver(onErrorRecover:)", result: hopped) {
                $0.asDriver { $0 as? Failure == .expected ? .just(9) : .empty() }.asObservable()
            },
            Way(name: "asSignal(onErrorRecover:)", result: hopped) {
                $0.asSignal { $0 as? Failure == .expected ? .just(9) : .empty() }.asObservable()
            },
            Way(name: "asSharedSequence(onErrorRecover:)", result: hopped) {
                $0.asSharedSequence(sharingStrategy: DriverSharingStrategy.self) {
                    $0 as? Failure == .expected ? .just(9) : .empty()
                }.asObservable()
            },
        ]

        @Test("An error is replaced on the sharing scheduler", arguments: ways) func error(way: Way) throws {
            let source = try Self.events(Self.source)
            let result = try Self.events(way.result)
            #expect(virtually { way.convert($0.createHotObservable(source).asObservable()) } == result)
        }

        @Test("The completion of a source passes on the sharing scheduler", arguments: ways)
        func completion(way: Way) throws {
            let source = try Self.events("-1---|")
            let result = try Self.events("--1---|")
            #expect(virtually { way.convert($0.createHotObservable(source).asObservable()) } == result)
        }

        @Test("Relays and infallibles convert without a replacement for errors") func unfailingSources() {
            #expect(virtually { _ in BehaviorRelay(value: 1).asDriver() } == [.next(201, 1)])
            #expect(virtually { _ in PublishRelay<Int>().asSignal() } == [])
            #expect(
                virtually { _ in Driver.of(1, 2).asInfallible().asDriver() }
                    == [.next(202, 1), .next(203, 2), .completed(204)])
            #expect(virtually { _ in Driver.just(1).asDriver() } == [.next(201, 1), .completed(201)])
            #expect(virtually { _ in Signal.just(1).asSignal() } == [.next(201, 1), .completed(201)])
            #expect(virtually { _ in Driver.just(1).asInfallible() } == [.next(201, 1), .completed(201)])
        }

        @Test("An Infallible completes where a closure of the driver threw") func throwingClosure() {
            let events = virtually { _ in
                Driver.zip([Driver.just(1), Driver.just(2)]) { (_: [Int]) -> Int in throw Failure.expected }
                    .asInfallible()
            }
            #expect(events == [.completed(201)])
        }

        @Test("The driver of a relay shares and repeats its value") func relayDriver() {
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
            // The value arrives inside `drive`, without a hop.
            #expect(observers[1].events == [.next(200, 2)])
        }

        @Test("A type of the program converts through its shared sequence") func ownType() {
            struct Label: SharedSequenceConvertibleType {
                typealias Element = String
                typealias SharingStrategy = DriverSharingStrategy
                func asSharedSequence() -> Driver<String> { .just("text") }
            }
            #expect(virtually { _ in Label() } == [.next(201, "text"), .completed(201)])
            #expect(virtually { _ in Label().map(\.count) } == [.next(201, 4), .completed(201)])
        }

        @Test("A sharing strategy of the program decides how to share") func ownStrategy() {
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
