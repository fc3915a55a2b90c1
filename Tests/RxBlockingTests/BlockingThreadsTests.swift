import Dispatch
import Foundation
import RxBlocking
import RxPrimitives
@preconcurrency import RxSwift
import TestSupport
import Testing

/// Where `toBlocking` is called, and what it waits for there.
@Suite struct BlockingThreadsTests {
    /// Waits for a sequence inside a callback of a synchronous source, whose trampoline is open then.
    private func insideATrampoline<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        nonisolated(unsafe) var result: Result<Value, any Error>?
        _ = Observable.of(1).subscribe(onNext: { _ in result = Result { try body() } })
        return try result!.get()
    }

    @Test func insideACallbackOfASynchronousSource() throws {
        #expect(try insideATrampoline { try Observable.of(1, 2, 3).toBlocking().toArray() } == [1, 2, 3])
        #expect(try insideATrampoline { try Observable.repeatElement(7).toBlocking().first() } == 7)
        let nested = Observable.of(1, 2).map { try Observable.range(start: 0, count: $0).toBlocking().toArray() }
        #expect(try nested.toBlocking().toArray() == [[0], [0, 1]])
        #expect(
            try insideATrampoline {
                try Observable.of(1, 2).concatMap { Observable.of($0, $0) }.toBlocking().toArray()
            } == [1, 1, 2, 2])
    }

    @Test func whatWaitsOnTheTrampolineIsRun() throws {
        let subject = ReplaySubject<Int>.createUnbounded()
        let seen = try insideATrampoline {
            _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                subject.onNext(1)
                subject.onCompleted()
                return Disposables.create()
            }
            return try subject.toBlocking().toArray()
        }
        #expect(seen == [1])
    }

    @Test func aTimeoutEndsAnEndlessTrampoline() throws {
        let error = try insideATrampoline {
            // Each round of the recursion goes to the back of the trampoline's queue.
            let spinning = CurrentThreadScheduler.instance.scheduleRecursive(()) { _, recurse in recurse(()) }
            defer { spinning.dispose() }
            do {
                _ = try Observable<Int>.never().toBlocking(timeout: 0.02).first()
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(error == "\(RxError.timeout)")
    }

    @Test func onASerialQueueForEventsFromElsewhere() async throws {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "waits")
        let other = SerialDispatchQueueScheduler(internalSerialQueueName: "delivers")
        let single = Single<[Int]>.create { observer in
            queue.schedule(()) { _ in
                observer(Result { try Observable.of(1, 2).observe(on: other).map { $0 }.toBlocking().toArray() })
                return Disposables.create()
            }
        }
        #expect(try await single.value == [1, 2])
    }

    /// What can only be delivered on the queue that waits for it.
    static let held: [@Sendable (any ImmediateSchedulerType) -> Observable<Int>] = [
        { Observable.never().observe(on: $0) },
        { Observable.of(1, 2).observe(on: $0).map { $0 + 1 }.filter { $0 > 0 } },
        { Observable.of(1, 2).observe(on: $0).share(replay: 1).take(1) },
        { Observable.of(1).observe(on: $0).asSingle().asObservable() },
        { Observable.of(1).observe(on: $0).first().asObservable().map { $0 ?? 0 } },
    ]

    @Test(arguments: held.indices) func onTheQueueThatDeliversItFailsWithWords(index: Int) async throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "waits for itself")
        let single = Single<String>.create { observer in
            scheduler.schedule(()) { _ in
                do {
                    observer(.success("\(try Self.held[index](scheduler).toBlocking().toArray())"))
                } catch {
                    observer(.success("\(error)"))
                }
                return Disposables.create()
            }
        }
        let words = try await single.value
        #expect(words.contains("'waits for itself'") && words.contains("await"), "\(words)")
    }

    @MainActor @Test func onAMainQueueThatNobodyRunsItFailsWithWords() {
        #expect(throws: BlockingError.deliversOnQueueOfCaller(label: DispatchQueue.main.label)) {
            try Observable<Int>.never().observe(on: MainScheduler.instance).toBlocking().first()
        }
        #expect(throws: BlockingError.deliversOnQueueOfCaller(label: DispatchQueue.main.label)) {
            try Observable.of(1).observe(on: MainScheduler.asyncInstance).toBlocking().first()
        }
    }

    @MainActor @Test func onTheMainQueueForEventsFromElsewhere() throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delivers")
        #expect(try Observable.of(1, 2).observe(on: scheduler).toBlocking().toArray() == [1, 2])
        // Delivered inline.
        #expect(try Observable.of(1, 2).observe(on: MainScheduler.instance).toBlocking().toArray() == [1, 2])
    }

    @MainActor @Test func whatWaitsBehindInlineWorkOnTheMainQueueIsRun() throws {
        nonisolated(unsafe) var seen: [Int]?
        let background = SerialDispatchQueueScheduler(internalSerialQueueName: "delivers")
        _ = Observable.just(1).observe(on: MainScheduler.instance).subscribe(onNext: { _ in
            let source = Observable.of(1, 2).delay(.milliseconds(5), scheduler: background)
            seen = try? source.observe(on: MainScheduler.instance).toBlocking(timeout: 30).toArray()
        })
        #expect(seen == [1, 2])
    }

    @Test func aThreadsRunLoopIsRun() {
        let seen = AtomicCounter(0)
        race({
            let source = Observable<Int>.create { observer in
                let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
                    observer.onNext(1)
                    observer.onCompleted()
                }
                RunLoop.current.add(timer, forMode: .default)
                return Disposables.create()
            }
            if (try? source.toBlocking(timeout: 30).toArray()) == [1] { seen.increment() }
        })
        #expect(seen.value == 1)
    }
}
