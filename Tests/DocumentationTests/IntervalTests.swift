// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

extension Documentation {
    /// A sequence of numbers made by hand, subscribed to in several ways.
    @Suite struct IntervalTests {
        private let console = Console()

        /// Returns a sequence that counts on a dispatch source.
        private static func timer(every interval: DispatchTimeInterval, _ console: Console) -> Observable<Int> {
            Observable.create { observer in
                console.print("Subscribed")
                let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
                timer.schedule(deadline: DispatchTime.now() + interval, repeating: interval)
                let cancel = Disposables.create {
                    console.print("Disposed")
                    timer.cancel()
                }
                var next = 0
                timer.setEventHandler {
                    if cancel.isDisposed { return }
                    observer.on(.next(next))
                    next += 1
                }
                timer.resume()
                return cancel
            }
        }

        /// Returns a sequence that counts tenths of a second of virtual time.
        private static func timer(_ scheduler: TestScheduler, _ console: Console) -> Observable<Int> {
            Observable.create { observer in
                console.print("Subscribed")
                let ticks = Observable<Int>.interval(.milliseconds(100), scheduler: scheduler).subscribe(observer)
                return Disposables.create {
                    console.print("Disposed")
                    ticks.dispose()
                }
            }
        }

        /// Returns the output of two subscriptions, of which the first ends after half a second.
        private func printsOfTwoSubscriptions(
            _ make: (Observable<Int>) -> Observable<Int> = { $0 }
        ) -> [String] {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
            let counter = make(Self.timer(scheduler, console))
            console.print("Started ----")
            let subscription1 = counter.subscribe(onNext: { [console] n in console.print("First \(n)") })
            let subscription2 = counter.subscribe(onNext: { [console] n in console.print("Second \(n)") })
            scheduler.advanceTo(5)
            subscription1.dispose()
            scheduler.advanceTo(10)
            subscription2.dispose()
            console.print("Ended ----")
            scheduler.advanceTo(20)
            return console.lines
        }

        /// Returns the numbers of the lines that begin with a name.
        private static func numbers(_ lines: [String], _ name: String = "") -> [Int] {
            lines.compactMap { $0.hasPrefix(name) ? Int($0.dropFirst(name.count)) : nil }
        }

        private static let firstHalf = (0...4).flatMap { ["First \($0)", "Second \($0)"] }
        private static let secondHalf = (5...9).map { "Second \($0)" }

        @Test("One subscription counts until it is disposed of") func oneSubscription() {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
            let counter = Self.timer(scheduler, console)
            console.print("Started ----")
            let subscription = counter.subscribe(onNext: { [console] n in console.print(n) })
            scheduler.advanceTo(5)
            subscription.dispose()
            console.print("Ended ----")
            #expect(
                console.lines == ["Started ----", "Subscribed", "0", "1", "2", "3", "4", "Disposed", "Ended ----"])
        }

        @Test("Two subscriptions start two timers") func twoTimers() {
            #expect(
                printsOfTwoSubscriptions()
                    == ["Started ----", "Subscribed", "Subscribed"] + Self.firstHalf + ["Disposed"] + Self.secondHalf
                    + ["Disposed", "Ended ----"])
        }

        @Test("Two subscriptions share one timer") func sharedTimer() {
            #expect(
                printsOfTwoSubscriptions { $0.share(replay: 1) }
                    == ["Started ----", "Subscribed"] + Self.firstHalf + Self.secondHalf + ["Disposed", "Ended ----"])
        }

        @Test("replay and refCount share as share does") func replayAndRefCount() {
            #expect(
                printsOfTwoSubscriptions { $0.replay(1).refCount() }
                    == ["Started ----", "Subscribed"] + Self.firstHalf + Self.secondHalf + ["Disposed", "Ended ----"])
        }

        @Test("A late subscriber to a shared timer receives the last number") func lateSubscriber() {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
            let counter = Self.timer(scheduler, console).share(replay: 1)
            let first = counter.subscribe(onNext: { [console] n in console.print("First \(n)") })
            scheduler.advanceTo(2)
            let second = counter.subscribe(onNext: { [console] n in console.print("Second \(n)") })
            scheduler.advanceTo(3)
            first.dispose()
            second.dispose()
            #expect(
                console.lines == [
                    "Subscribed", "First 0", "First 1", "Second 1", "First 2", "Second 2", "Disposed",
                ])
        }

        @Test("A dispatch timer counts until it is disposed of") func dispatchTimer() async {
            let counter = Self.timer(every: .milliseconds(2), console)
            console.print("Started ----")
            let subscription = counter.subscribe(onNext: { [console] n in console.print(n) })
            #expect(await eventually { console.lines.contains("4") })
            subscription.dispose()
            console.print("Ended ----")
            let lines = console.lines
            #expect(lines.prefix(7) == ["Started ----", "Subscribed", "0", "1", "2", "3", "4"])
            #expect(Self.numbers(lines) == Array(0..<Self.numbers(lines).count))
            #expect(lines.filter { Int($0) == nil } == ["Started ----", "Subscribed", "Disposed", "Ended ----"])
        }

        @Test("Two subscriptions have dispatch timers of their own") func twoDispatchTimers() async throws {
            let counter = Self.timer(every: .milliseconds(2), console)
            let first = counter.subscribe(onNext: { [console] n in console.print("First \(n)") })
            let second = counter.subscribe(onNext: { [console] n in console.print("Second \(n)") })
            #expect(await eventually { console.lines.contains("First 4") })
            first.dispose()
            let reached = Self.numbers(console.lines, "Second ").count
            #expect(await eventually { console.lines.contains("Second \(reached + 4)") })
            second.dispose()
            let lines = console.lines
            #expect(lines.filter { $0.hasSuffix("ed") } == ["Subscribed", "Subscribed", "Disposed", "Disposed"])
            for name in ["First ", "Second "] {
                let numbers = Self.numbers(lines, name)
                #expect(numbers == Array(0..<numbers.count))
            }
        }

        @Test("A shared dispatch timer stops with its last subscription") func sharedDispatchTimer() async throws {
            let counter = Self.timer(every: .milliseconds(2), console).share(replay: 1)
            let first = counter.subscribe(onNext: { [console] n in console.print("First \(n)") })
            let second = counter.subscribe(onNext: { [console] n in console.print("Second \(n)") })
            #expect(await eventually { console.lines.contains("First 4") })
            first.dispose()
            let reached = Self.numbers(console.lines, "First ").count
            #expect(await eventually { console.lines.contains("Second \(reached + 4)") })
            second.dispose()
            #expect(console.lines.filter { $0.hasSuffix("ed") } == ["Subscribed", "Disposed"])
        }

        @Test("An operator of the program transforms the numbers") func ownOperator() {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
            let subscription = Self.timer(scheduler, console)
                .transformed { "This is simply \($0)" }
                .subscribe(onNext: { [console] n in console.print(n) })
            scheduler.advanceTo(3)
            subscription.dispose()
            #expect(
                console.lines == [
                    "Subscribed", "This is simply 0", "This is simply 1", "This is simply 2", "Disposed",
                ])
        }
    }
}

extension ObservableType {
    /// Maps elements, as an operator that a program writes itself.
    fileprivate func transformed<Result>(_ transform: @escaping (Element) -> Result) -> Observable<Result> {
        Observable.create { observer in
            self.subscribe { event in
                switch event {
                case .next(let value): observer.on(.next(transform(value)))
                case .error(let error): observer.on(.error(error))
                case .completed: observer.on(.completed)
                }
            }
        }
    }
}
