// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxBlocking
import RxPrimitives
@preconcurrency import RxSwift
import TestSupport
import Testing

/// Calls of `toBlocking` on threads and queues of all kinds.
@Suite struct BlockingThreadsTests {
    /// Waits for a sequence inside a callback of a synchronous source, whose trampoline is open then.
    private func insideATrampoline<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        nonisolated(unsafe) var result: Result<Value, any Error>?
        _ = Observable.of(1).subscribe(onNext: { _ in result = Result { try body() } })
        return try result!.get()
    }

    @Test("toBlocking waits inside a callback of a synchronous source") func insideCallback() throws {
        #expect(try insideATrampoline { try Observable.of(1, 2, 3).toBlocking().toArray() } == [1, 2, 3])
        #expect(try insideATrampoline { try Observable.repeatElement(7).toBlocking().first() } == 7)
        let nested = Observable.of(1, 2).map { try Observable.range(start: 0, count: $0).toBlocking().toArray() }
        #expect(try nested.toBlocking().toArray() == [[0], [0, 1]])
        #expect(
            try insideATrampoline {
                try Observable.of(1, 2).concatMap { Observable.of($0, $0) }.toBlocking().toArray()
            } == [1, 1, 2, 2])
    }

    /// The fault: a thread that was about to wait saw the end before the thread that had brought it had disposed of the source.
    @Test("toBlocking returns when the source is torn down, also if it has just subscribed") func teardown() throws {
        var early = 0
        for _ in 0..<500 {
            let resource = SlowResource()
            let source = Observable<Int>.create { observer in
                DispatchQueue.global().async { observer.onCompleted() }
                return Disposables.create()
            }
            _ = try Observable.using({ resource }) { _ in source }.toBlocking().toArray()
            if resource.released.value == 0 { early += 1 }
        }
        #expect(early == 0, "\(early) of 500")
    }

    @Test("toBlocking runs the actions queued on the trampoline") func trampoline() throws {
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

    @Test("A timeout ends an endless trampoline") func endlessTrampoline() throws {
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

    @Test("toBlocking waits on a serial queue for events from elsewhere") func serialQueue() async throws {
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

    /// Sequences that can deliver only on the queue that waits for them.
    static let held: [@Sendable (any ImmediateSchedulerType) -> Observable<Int>] = [
        { Observable.never().observe(on: $0) },
        { Observable.of(1, 2).observe(on: $0).map { $0 + 1 }.filter { $0 > 0 } },
        { Observable.of(1, 2).observe(on: $0).share(replay: 1).take(1) },
        { Observable.of(1).observe(on: $0).asSingle().asObservable() },
        { Observable.of(1).observe(on: $0).first().asObservable().map { $0 ?? 0 } },
        { Observable.of(1).observe(on: $0).asMaybe().asObservable() },
        { Observable.of(1, 2).observe(on: $0).skip(while: { $0 < 2 }).takeLast(1) },
        { Observable.of(1, 2).observe(on: $0).scan(0) { $0 + $1 }.do(onNext: { _ in }, onCompleted: {}) },
        { Observable.of(1, 2).observe(on: $0).reduce(0) { $0 + $1 }.ifEmpty(default: 3) },
    ]

    @Test("Waiting on the delivering queue throws an error that names the queue", arguments: held.indices)
    func deliveringQueue(index: Int) async throws {
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

    @MainActor @Test("Waiting on a main queue that no thread runs throws an error") func idleMainQueue() {
        #expect(throws: BlockingError.deliversOnQueueOfCaller(label: DispatchQueue.main.label)) {
            try Observable<Int>.never().observe(on: MainScheduler.instance).toBlocking().first()
        }
        #expect(throws: BlockingError.deliversOnQueueOfCaller(label: DispatchQueue.main.label)) {
            try Observable.of(1).observe(on: MainScheduler.asyncInstance).toBlocking().first()
        }
    }

    @MainActor @Test("toBlocking waits on the main queue for events from elsewhere") func mainQueue() throws {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delivers")
        #expect(try Observable.of(1, 2).observe(on: scheduler).toBlocking().toArray() == [1, 2])
        // The main scheduler delivers these elements inline.
        #expect(try Observable.of(1, 2).observe(on: MainScheduler.instance).toBlocking().toArray() == [1, 2])
    }

    @MainActor @Test("toBlocking runs the actions queued behind inline work on the main queue")
    func inlineWork() throws {
        nonisolated(unsafe) var seen: [Int]?
        let background = SerialDispatchQueueScheduler(internalSerialQueueName: "delivers")
        _ = Observable.just(1).observe(on: MainScheduler.instance).subscribe(onNext: { _ in
            let source = Observable.of(1, 2).delay(.milliseconds(5), scheduler: background)
            seen = try? source.observe(on: MainScheduler.instance).toBlocking(timeout: 30).toArray()
        })
        #expect(seen == [1, 2])
    }

    @Test("toBlocking runs the run loop of its thread") func runLoop() {
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

/// A resource that takes a while to be released.
private final class SlowResource: Disposable {
    let released = AtomicCounter(0)

    func dispose() {
        usleep(50)
        released.increment()
    }
}
