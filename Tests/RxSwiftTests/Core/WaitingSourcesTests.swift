// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The list of sources that a stage has paused (law L13).
@Suite struct WaitingSourcesTests {
    private final class Log {
        var resumed: [Int] = []
    }

    private final class Source: PausableSource {
        let number: Int
        let log: Log

        init(_ number: Int, _ log: Log) {
            self.number = number
            self.log = log
        }

        func resume() { log.resumed.append(number) }
    }

    @Test("Sources are resumed in the order in which they came to wait, but the first one last")
    func order() {
        let log = Log()
        let sources = (0..<100).map { Source($0, log) }
        var waiting = WaitingSources()
        for source in sources { _ = waiting.add(source) }
        let isWaiting = !waiting.isEmpty
        waiting.takeAll().resume()
        let isEmpty = waiting.isEmpty
        #expect(isWaiting && isEmpty)
        #expect(log.resumed == Array(1..<100) + [0])
    }

    @Test("A source that asks again while it waits keeps its place, and no second one")
    func again() {
        let log = Log()
        let source = Source(1, log)
        var waiting = WaitingSources()
        for _ in 0..<1_000 { _ = waiting.add(source) }
        waiting.takeAll().resume()
        #expect(log.resumed == [1])
    }

    @Test("100,000 sources that come and go at a stage that stays paused leave a bounded list")
    func comeAndGo() {
        let log = Log()
        let staying = (0..<10).map { Source($0, log) }
        var waiting = WaitingSources()
        for number in 0..<100_000 {
            if number % 10_000 == 0 { _ = waiting.add(staying[number / 10_000]) }
            _ = waiting.add(Source(-1, log))
        }
        let taken = waiting.takeAll()
        #expect(taken.count <= 32)
        taken.resume()
        #expect(log.resumed == Array(1..<10) + [0])
    }

    @Test("Sources that ask in turn, again and again, leave a bounded list, in the order of their first question")
    func inTurn() {
        let log = Log()
        let sources = (0..<5).map { Source($0, log) }
        var waiting = WaitingSources()
        for number in 0..<100_000 { _ = waiting.add(sources[number % 5]) }
        let taken = waiting.takeAll()
        #expect(taken.count <= 16)
        taken.resume()
        #expect(Array(log.resumed.prefix(5)) == [1, 2, 3, 4, 0])
        #expect(Set(log.resumed) == Set(0..<5))
    }

    @Test("The bound follows the number of sources that wait: many that stay do not make each question slow")
    func manyStay() {
        let log = Log()
        let sources = (0..<20_000).map { Source($0, log) }
        var waiting = WaitingSources()
        let time = ContinuousClock().measure { for source in sources { _ = waiting.add(source) } }
        // A look at all entries per question would take a minute.
        #expect(time < .seconds(10))
        waiting.takeAll().resume()
        #expect(log.resumed == Array(1..<20_000) + [0])
    }

    @Test("A source that waits for the second time, after it was resumed, is resumed again")
    func twice() {
        let log = Log()
        let source = Source(1, log)
        var waiting = WaitingSources()
        for _ in 0..<2 {
            _ = waiting.add(source)
            waiting.takeAll().resume()
        }
        #expect(log.resumed == [1, 1])
    }

    /// The fault: the hop that was resumed first took the room, asked first, and was the first again.
    @Test("Groups with a hop each that meet at a slow consumer get the same part of its time") func fairness() {
        let (groups, count) = (8, 20_000)
        // Large elements, of which few fit into a queue.
        let source = Observable.range(start: 0, count: .max, scheduler: SerialDispatchQueueScheduler(qos: .default))
            .map { [UInt8](repeating: UInt8($0 % groups), count: 8_192) }
        let hop = SerialDispatchQueueScheduler(qos: .default)
        let consumer = SerialDispatchQueueScheduler(qos: .default)
        let done = OneShot()
        nonisolated(unsafe) var received = [Int](repeating: 0, count: groups)
        nonisolated(unsafe) var total = 0
        let subscription = source.groupBy { $0[0] }
            .flatMap { $0.observe(on: hop) }
            .observe(on: consumer)
            .subscribe(onNext: {
                if total >= count { return }
                received[Int($0[0])] += 1
                usleep(50)
                total += 1
                if total == count { done.fire() }
            })
        #expect(done.wait(seconds: 60))
        #expect(received.max()! < 2 * received.min()!, "\(received)")
        subscription.dispose()
    }

    @Test("A list holds its sources weakly")
    func weakly() {
        let log = Log()
        var waiting = WaitingSources()
        var source: Source? = Source(1, log)
        weak let witness = source
        _ = waiting.add(source!)
        source = nil
        #expect(witness == nil)
        waiting.takeAll().resume()
        #expect(log.resumed.isEmpty)
    }

    /// A source whose end notes whether it came under the lock of the stage.
    private final class Mortal: PausableSource, @unchecked Sendable {
        private let stage: LockedStage
        init(_ stage: LockedStage) { self.stage = stage }
        deinit { stage.sourceEnded() }
        func resume() {}
    }

    private final class LockedStage: @unchecked Sendable {
        private let lock = Mutex()
        private var waiting = WaitingSources()
        /// The thread that holds the lock, or 0.
        private let holder = AtomicWord(0)
        private let faults = AtomicWord(0)
        var faultCount: Int { Int(faults.loadAcquiring()) }

        func add(_ source: any PausableSource) {
            lock.lock()
            holder.storeRelaxed(CurrentThread.identity)
            let inspected = waiting.add(source)
            holder.storeRelaxed(0)
            lock.unlock()
            withExtendedLifetime(inspected) {}
        }

        func sourceEnded() {
            if holder.loadRelaxed() == CurrentThread.identity { _ = faults.fetchAdd(1) }
        }
    }

    @Test("A source that is released while others come to wait does not end under the lock of the stage")
    func releasedMeanwhile() {
        let stage = LockedStage()
        let box = LockedBox<[Mortal]>([])
        let isOver = AtomicWord(0)
        let thread = Thread {
            while isOver.loadAcquiring() == 0 { box.value = [] }
            isOver.storeReleasing(2)
        }
        thread.start()
        for _ in 0..<2_000 {
            var sources = (0..<64).map { _ in Mortal(stage) }
            for source in sources { stage.add(source) }
            box.value = sources
            sources = []
            // Makes the list look for sources that are gone, while the other thread releases these.
            for _ in 0..<100 { stage.add(Mortal(stage)) }
        }
        isOver.storeReleasing(1)
        while isOver.loadAcquiring() != 2 { usleep(100) }
        #expect(stage.faultCount == 0)
    }
}

/// The word with which a source pauses.
@Suite struct PauseStateTests {
    /// The word in an object, as its users have it.
    private final class Source {
        private let state = PauseState()

        func willAsk() { state.willAsk() }
        func pause() -> Bool { state.pause() }
        func resume() -> Bool { state.resume() }
    }

    @Test("A resume starts a source that has paused, once")
    func once() {
        let source = Source()
        source.willAsk()
        #expect(source.pause())
        #expect(source.resume())
        #expect(!source.resume())
    }

    @Test(
        "A resume between the question and the pause cancels the pause, and a further one does not start the source twice"
    )
    func cancelled() {
        let source = Source()
        source.willAsk()
        #expect(!source.resume())
        #expect(!source.pause())
        #expect(!source.resume())
        source.willAsk()
        #expect(source.pause())
        #expect(source.resume())
    }

    @Test("A resume of a source that runs does not answer its next question")
    func earlier() {
        let source = Source()
        #expect(!source.resume())
        source.willAsk()
        #expect(source.pause())
    }
}
