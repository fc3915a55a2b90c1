// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxBlocking
import RxCocoa
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Operators that take a scheduler do on an event loop what they do on a serial dispatch queue.
@Suite struct OperatorTests {
    enum Kind: CaseIterable, Sendable {
        case dispatch, uring, epoll, simulated

        func make() -> any SchedulerType {
            switch self {
            case .dispatch: SerialDispatchQueueScheduler(internalSerialQueueName: "test")
            case .uring: IOUringScheduler(backend: .uring)
            case .epoll: IOUringScheduler(backend: .epoll)
            case .simulated: IOUringScheduler(backend: .simulated)
            }
        }
    }

    @Test("delay keeps the order of the elements", arguments: Kind.allCases)
    func delay(_ kind: Kind) {
        let log = logged(Observable.from([1, 2, 3]).delay(.milliseconds(5), scheduler: kind.make()))
        #expect(log == "1 2 3 completed")
    }

    @Test("debounce emits the last element of a burst", arguments: Kind.allCases)
    func debounce(_ kind: Kind) {
        #expect(logged(Observable.from([1, 2, 3]).debounce(.milliseconds(5), scheduler: kind.make())) == "3 completed")
        let source = Observable.concat(.from([1, 2]), Observable<Int>.timer(.milliseconds(60), scheduler: kind.make()))
        #expect(logged(source.debounce(.milliseconds(10), scheduler: kind.make())) == "2 0 completed")
    }

    @Test("throttle emits the first and the last element of a burst", arguments: Kind.allCases)
    func throttle(_ kind: Kind) {
        let source = Observable.concat(
            .from([1, 2, 3]),
            Observable<Int>.never().timeout(.milliseconds(60), scheduler: kind.make()).catch { _ in .empty() })
        #expect(logged(source.throttle(.milliseconds(10), scheduler: kind.make())) == "1 3 completed")
    }

    @Test("interval, timer and timeout use the scheduler's time", arguments: Kind.allCases)
    func timers(_ kind: Kind) {
        #expect(
            logged(Observable<Int>.interval(.milliseconds(1), scheduler: kind.make()).take(5)) == "0 1 2 3 4 completed")
        #expect(logged(Observable<Int>.timer(.milliseconds(2), scheduler: kind.make())) == "0 completed")
        #expect(logged(Observable<Int>.never().timeout(.milliseconds(2), scheduler: kind.make())).hasPrefix("error"))
    }

    @Test("subscribe(on:), observe(on:) and buffer pass every element on", arguments: Kind.allCases)
    func hops(_ kind: Kind) {
        let scheduler = kind.make()
        let source = Observable.range(start: 0, count: 10_000).subscribe(on: kind.make()).observe(on: scheduler)
            .map { $0 + 1 }.observe(on: scheduler).observe(on: kind.make())
        #expect(logged(source.reduce(0, accumulator: +)) == "50005000 completed")
        let buffers = Observable.range(start: 0, count: 10).buffer(
            timeSpan: .seconds(5), count: 4, scheduler: scheduler)
        #expect(logged(buffers) == "[0, 1, 2, 3] [4, 5, 6, 7] [8, 9] completed")
    }

    @Test("An error does not overtake the elements before it", arguments: Kind.allCases)
    func errorOrder(_ kind: Kind) {
        let source = Observable.concat(.from([1, 2, 3]), .error(RxError.unknown)).observe(on: kind.make())
        #expect(logged(source).hasPrefix("1 2 3 error"))
    }

    @Test("A disposed hop delivers no more than the event under way", arguments: Kind.allCases)
    func disposedHop(_ kind: Kind) {
        let scheduler = kind.make()
        let subject = PublishSubject<Int>()
        let (begun, gate) = (OneShot(), OneShot())
        let log = EventLog()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: {
            log.note("\($0)")
            begun.fire()
            _ = gate.wait()
        })
        for number in 0..<100 { subject.onNext(number) }
        #expect(begun.wait())
        subscription.dispose()
        gate.fire()
        let done = OneShot()
        _ = scheduler.schedule(()) { _ in
            done.fire()
            return Disposables.create()
        }
        #expect(done.wait())
        #expect(log.text == "0")
    }

    /// The fault: such a sequence looked as one that has nothing to say.
    @Test("A hop and a delay fail if the end of their loop drops events", arguments: Backend.built)
    func droppedEvents(_ backend: Backend) {
        let scheduler = IOUringScheduler(name: "own", backend: backend)
        let (source, logs) = (PublishSubject<Int>(), (0..<6).map { _ in EventLog() })
        let hour = RxTimeInterval.seconds(3_600)
        let (bag, attempts) = (DisposeBag(), AtomicCounter(0))
        scheduler.performAndWait {
            let hop = source.observe(on: scheduler)
            logs[0].observe(hop).disposed(by: bag)
            logs[1].observe(hop.map { $0 }.observe(on: scheduler)).disposed(by: bag)
            logs[2].observe(source.delay(hour, scheduler: scheduler)).disposed(by: bag)
            logs[3].observe(source.takeLast(1).delay(hour, scheduler: scheduler)).disposed(by: bag)
            // Nothing waits in these.
            logs[4].observe(Observable<Int>.never().observe(on: scheduler)).disposed(by: bag)
            let again = Observable.deferred {
                attempts.increment()
                return Observable.just(1).observe(on: scheduler)
            }
            // These end, though each attempt is dropped as the one before.
            let file = File.read("/proc/self/stat", scheduler: scheduler).map(\.count)
            hop.catch { _ in file.retry() }.subscribe().disposed(by: bag)
            source.delay(hour, scheduler: scheduler).catch { _ in file.retry() }.subscribe().disposed(by: bag)
            file.observe(on: scheduler).retry().subscribe().disposed(by: bag)
            scheduler.shutdown()
            source.onNext(1)
            logs[5].observe(again.retry()).disposed(by: bag)
        }
        scheduler.shutdown()
        let dropped = "error(event loop shut down own: Operation canceled (errno \(ECANCELED)))"
        #expect(logs.prefix(4).map(\.text) == [dropped, dropped, dropped, ""])
        #expect(logs[4].text == "" && logs[5].text == "")
        #expect(attempts.value > 1)
        source.onCompleted()
    }

    @Test("Blocking on the loop fails instead of hanging", arguments: Backend.built)
    func blocking(_ backend: Backend) {
        let scheduler = IOUringScheduler(name: "own", backend: backend)
        nonisolated(unsafe) var results: [String] = []
        let done = OneShot()
        scheduler.run {
            let blocked: [() throws -> Void] = [
                { _ = try Observable.just(1).observe(on: scheduler).toBlocking(timeout: 5).toArray() },
                { _ = try File.read("/proc/self/stat", scheduler: scheduler).toBlocking(timeout: 5).toArray() },
                {
                    _ = try File.read("/proc/self/stat", scheduler: scheduler).map { $0.count }.take(1).toBlocking(
                        timeout: 5
                    ).first()
                },
            ]
            for body in blocked {
                do {
                    try body()
                    results.append("no error")
                } catch { results.append("\(error)") }
            }
            done.fire()
        }
        #expect(done.wait(seconds: 20))
        #expect(results.count == 3 && results.allSatisfy { $0.contains("event loop") }, "\(results)")
        // Blocking on another thread works.
        #expect((try? File.read("/proc/self/stat", scheduler: scheduler).toBlocking(timeout: 5).toArray().count) == 1)
        #expect((try? Observable.just(1).observe(on: scheduler).toBlocking(timeout: 5).first()) == 1)
        scheduler.shutdown()
    }

    @Test("A driver of a sequence on the loop delivers on the main queue", arguments: Kind.allCases)
    func driver(_ kind: Kind) async {
        let log = EventLog()
        nonisolated(unsafe) var subscription: (any Disposable)?
        let source = Observable<Int>.interval(.milliseconds(1), scheduler: kind.make()).take(3)
        await onMainQueue {
            subscription = source.asDriver(onErrorJustReturn: -1).drive(onNext: {
                dispatchPrecondition(condition: .onQueue(.main))
                log.note("\($0)")
            })
        }
        #expect(await eventually { log.text == "0 1 2" })
        await onMainQueue { subscription?.dispose() }
    }

    /// The events of a sequence as text, up to its end.
    private func logged<Element>(_ source: Observable<Element>) -> String {
        let log = EventLog()
        let done = OneShot()
        let subscription = log.observe(source) { if $0.isStopEvent { done.fire() } }
        #expect(done.wait())
        subscription.dispose()
        #expect(!log.hasOverlapped)
        return log.text
    }
}
