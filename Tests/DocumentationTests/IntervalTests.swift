import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

extension Documentation {
    /// A sequence of numbers made by hand, subscribed to in several ways.
    @Suite struct IntervalTests {
        private let console = Console()

        /// Counts on a dispatch source.
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

        /// Counts tenths of a second of virtual time.
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

        /// What the example with two subscriptions prints, of which the first ends after half a second.
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

        /// Those lines that count, with the name in front of each number.
        private static func numbers(_ lines: [String], _ name: String = "") -> [Int] {
            lines.compactMap { $0.hasPrefix(name) ? Int($0.dropFirst(name.count)) : nil }
        }

        private static let firstHalf = (0...4).flatMap { ["First \($0)", "Second \($0)"] }
        private static let secondHalf = (5...9).map { "Second \($0)" }

        @Test func oneSubscription() {
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

        @Test func twoSubscriptionsAreTwoTimers() {
            #expect(
                printsOfTwoSubscriptions()
                    == ["Started ----", "Subscribed", "Subscribed"] + Self.firstHalf + ["Disposed"] + Self.secondHalf
                    + ["Disposed", "Ended ----"])
        }

        @Test func aSharedTimerIsOne() {
            #expect(
                printsOfTwoSubscriptions { $0.share(replay: 1) }
                    == ["Started ----", "Subscribed"] + Self.firstHalf + Self.secondHalf + ["Disposed", "Ended ----"])
        }

        @Test func replayAndRefCountAreShare() {
            #expect(
                printsOfTwoSubscriptions { $0.replay(1).refCount() }
                    == ["Started ----", "Subscribed"] + Self.firstHalf + Self.secondHalf + ["Disposed", "Ended ----"])
        }

        @Test func aNewcomerToASharedTimerSeesTheLastNumber() {
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

        @Test func aDispatchTimerCountsUntilItIsDisposedOf() async {
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

        @Test func twoSubscriptionsHaveDispatchTimersOfTheirOwn() async throws {
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

        @Test func aSharedDispatchTimerStopsWithItsLastSubscription() async throws {
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

        @Test func anOperatorOfOnesOwn() {
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
    /// A `map` of one's own.
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
