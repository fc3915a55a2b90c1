// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct FairnessTests {
    /// An action that resubmits itself until it is stopped.
    private final class Restless: @unchecked Sendable {
        private let scheduler: IOUringScheduler
        private let isOver = AtomicWord(0)

        init(_ scheduler: IOUringScheduler) {
            self.scheduler = scheduler
            go()
        }

        func stop() { isOver.storeReleasing(1) }

        private func go() {
            scheduler.run {
                if self.isOver.loadAcquiring() == 0 { self.go() }
            }
        }
    }

    @Test("An action that resubmits itself starves no action, timer or stream", arguments: Backend.built)
    func resubmission(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let restless = Restless(scheduler)
        let timer = OneShot()
        let read = OneShot()
        let action = OneShot()
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            timer.fire()
            return Disposables.create()
        }
        let subscription = File.read("/proc/self/status", chunkSize: 64, scheduler: scheduler).subscribe(
            onDisposed: read.fire)
        scheduler.run { action.fire() }
        #expect(timer.wait(seconds: 5) && read.wait(seconds: 5) && action.wait(seconds: 5))
        restless.stop()
        subscription.dispose()
        scheduler.shutdown()
    }

    @Test("Timers that are always due starve no action or stream", arguments: Backend.built)
    func dueTimers(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = AtomicWord(0)
        @Sendable func arm() {
            _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(0)) { _ in
                if isOver.loadAcquiring() == 0 { arm() }
                return Disposables.create()
            }
        }
        for _ in 0..<1_000 { arm() }
        let action = OneShot()
        let read = OneShot()
        scheduler.run { action.fire() }
        let subscription = File.read("/proc/self/status", chunkSize: 64, scheduler: scheduler).subscribe(
            onDisposed: read.fire)
        #expect(action.wait(seconds: 5) && read.wait(seconds: 5))
        isOver.storeReleasing(1)
        subscription.dispose()
        scheduler.shutdown()
    }

    /// There are more streams than the loop serves in one turn.
    @Test("Streams that always have data starve no action or timer", arguments: Backend.built)
    func readyStreams(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let chunks = AtomicCounter(0)
        let many = OneShot()
        let bag = DisposeBag()
        for _ in 0..<600 {
            File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).subscribe(
                onNext: { _ in
                    chunks.increment()
                    if chunks.value == 20_000 { many.fire() }
                }, onError: { #expect(($0 as? IOError)?.code == ECANCELED) }
            ).disposed(by: bag)
        }
        #expect(many.wait())
        let action = OneShot()
        let timer = OneShot()
        scheduler.run { action.fire() }
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            timer.fire()
            return Disposables.create()
        }
        #expect(action.wait(seconds: 5) && timer.wait(seconds: 5))
        scheduler.shutdown()
    }

    /// Actions of a millisecond each, which take some seconds together.
    private func occupy(_ scheduler: IOUringScheduler, until isOver: Guarded<Bool>) {
        for _ in 0..<3_000 {
            scheduler.run { if !isOver.value { spin(nanoseconds: 1_000_000) } }
        }
    }

    @Test("A timer does not wait for submitted work", arguments: Backend.built, [false, true])
    func timerBesideWork(_ backend: Backend, _ armsOnLoop: Bool) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = Guarded(false)
        let (armed, fired) = (OneShot(), OneShot())
        let arm: @Sendable () -> Void = {
            armed.fire()
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(10)) { _ in
                fired.fire()
                return Disposables.create()
            }
        }
        if armsOnLoop { scheduler.run(arm) }
        occupy(scheduler, until: isOver)
        if !armsOnLoop { arm() }
        #expect(armed.wait())
        // The work takes ten times as long.
        #expect(fired.wait(seconds: 0.3))
        isOver.value = true
        scheduler.shutdown()
    }

    enum Repeated: CaseIterable {
        case interval, timer, periodicAction, delay

        /// Ticks every 5 milliseconds.
        func ticks(on scheduler: IOUringScheduler) -> Observable<Int> {
            switch self {
            case .interval: .interval(.milliseconds(5), scheduler: scheduler)
            case .timer: .timer(.milliseconds(1), period: .milliseconds(5), scheduler: scheduler)
            case .periodicAction:
                .create { observer in
                    scheduler.schedulePeriodic(0, startAfter: .milliseconds(5), period: .milliseconds(5)) {
                        observer.onNext($0)
                        return $0 + 1
                    }
                }
            case .delay:
                .interval(.milliseconds(5), scheduler: SerialDispatchQueueScheduler(qos: .userInteractive))
                    .delay(.milliseconds(1), scheduler: scheduler)
            }
        }
    }

    /// The fault: a timer that comes too late to be on time the next time, too, then waits behind all submitted work.
    @Test(
        "A repeated timer that comes late does not wait for submitted work", arguments: Backend.built, Repeated.allCases
    )
    func lateTimer(_ backend: Backend, _ repeated: Repeated) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = Guarded(false)
        let ticks = AtomicCounter(0)
        let subscription = repeated.ticks(on: scheduler).subscribe(onNext: { _ in
            ticks.increment()
            // So the next tick is due by now, and so are several elements of a delay.
            if ticks.value % 4 == 1 { spin(nanoseconds: 20_000_000) }
        })
        occupy(scheduler, until: isOver)
        #expect(soon(seconds: 1.5) { ticks.value >= 20 })
        isOver.value = true
        subscription.dispose()
        scheduler.shutdown()
    }

    @Test(
        "A source faster than its delayed elements are handled leaves the loop to other work", arguments: Backend.built)
    func delayedFlood(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let subject = PublishSubject<Int>()
            let isOver = AtomicCounter(0)
            let flooded = DispatchSemaphore(value: 0)
            let subscription = subject.delay(.microseconds(100), scheduler: scheduler).subscribe(onNext: { _ in
                spin(nanoseconds: 30_000)
            })
            Thread.detachNewThread {
                while isOver.value == 0 {
                    subject.onNext(1)
                    spin(nanoseconds: 10_000)
                }
                flooded.signal()
            }
            usleep(20_000)
            let (action, timer) = (OneShot(), OneShot())
            scheduler.run { action.fire() }
            let other = Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).subscribe(onNext: { _ in
                timer.fire()
            })
            #expect(action.wait(seconds: 2) && timer.wait(seconds: 2))
            isOver.increment()
            flooded.wait()
            subscription.dispose()
            other.dispose()
        }
    }

    @Test("Bytes from a socket do not wait for submitted work", arguments: Backend.built)
    func echoBesideWork(_ backend: Backend) throws {
        let server = try Server.echo(backend)
        let peer = PlainSocket(connectedTo: server.address)
        peer.sendWithoutDelay()
        #expect(peer.send([1]) && peer.receive(1) == [1])
        let isOver = Guarded(false)
        occupy(server.scheduler, until: isOver)
        let start = MonotonicClock.now()
        for number: UInt8 in 0..<10 { #expect(peer.send([number]) && peer.receive(1) == [number]) }
        #expect(MonotonicClock.now() - start < 300_000_000)
        isOver.value = true
        peer.close()
        server.end()
    }

    /// A thread opens a file that is to be made, and looks names up.
    @Test("The result of a blocking call does not wait for submitted work", arguments: Backend.built)
    func blockingCallBesideWork(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let isOver = Guarded(false)
            let (isWriting, mayBegin) = (OneShot(), OneShot())
            let source = Observable<ByteChunk>.deferred {
                isWriting.fire()
                return .empty()
            }
            var subscription: (any Disposable)?
            scheduler.run { _ = mayBegin.wait() }
            subscription = File.write(source, to: folder["new"], scheduler: scheduler).subscribe()
            occupy(scheduler, until: isOver)
            mayBegin.fire()
            #expect(isWriting.wait(seconds: 0.3))
            isOver.value = true
            #expect(await eventually { access(folder["new"], F_OK) == 0 })
            subscription?.dispose()
        }
    }

    @Test("A source that was paused goes on without waiting for submitted work", arguments: Backend.built)
    func resumeBesideWork(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(4 << 20), into: "a")
            let isOver = Guarded(false)
            let queue = BlockedQueue()
            let emitted = AtomicCounter(0)
            let received = Received(
                File.read(path, scheduler: scheduler).do(onNext: { _ in emitted.increment() })
                    .observe(on: queue.scheduler).map { $0.count })
            #expect(await eventually { emitted.value > 4 })
            #expect(await settled { emitted.value } < 64)
            let before = emitted.value
            occupy(scheduler, until: isOver)
            queue.open()
            try? await Task.sleep(nanoseconds: 300_000_000)
            #expect(emitted.value > before)
            isOver.value = true
            #expect(await received.ends())
            #expect(received.elements.reduce(0, +) == 4 << 20)
        }
    }

    @Test(
        "Slow timers and slow completions leave each other, and submitted work, their turns", arguments: Backend.built)
    func slowCallbacks(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let bag = DisposeBag()
        let (timers, chunks, readers) = (AtomicCounter(0), AtomicCounter(0), AtomicCounter(0))
        for _ in 0..<100 {
            var isFirst = true
            File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).subscribe(
                onNext: { _ in
                    if isFirst { readers.increment() }
                    isFirst = false
                    chunks.increment()
                    spin(nanoseconds: 1_000_000)
                }, onError: { _ in }
            ).disposed(by: bag)
        }
        // Work is done in the order of its submission: an action would wait for the subscriptions.
        #expect(soon { readers.value == 100 })
        for _ in 0..<200 {
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(5)) { _ in
                timers.increment()
                spin(nanoseconds: 1_000_000)
                return Disposables.create()
            }
        }
        #expect(soon { timers.value > 0 })
        let (action, timer) = (OneShot(), OneShot())
        let (timersBefore, chunksBefore) = (timers.value, chunks.value)
        scheduler.run { action.fire() }
        #expect(action.wait(seconds: 0.3))
        #expect(soon { timers.value > timersBefore + 2 && chunks.value > chunksBefore + 2 })
        // Both have come forward, and none has finished before the other had its turn.
        #expect(timers.value < 190)
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            timer.fire()
            return Disposables.create()
        }
        // Timers fire in the order of their deadlines.
        #expect(timer.wait(seconds: 20))
        scheduler.shutdown()
        withExtendedLifetime(bag) {}
    }

    /// The fault: a job of many steps, such as a hop's batch, takes all steps of a turn before the loop looks at the clock.
    @Test("The events of one hop do not keep a timer waiting", arguments: Backend.built)
    func timerBesideHop(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let isOver = Guarded(false)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in
            if !isOver.value { spin(nanoseconds: 1_000_000) }
        })
        for number in 0..<2_000 { subject.onNext(number) }
        let fired = OneShot()
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(10)) { _ in
            fired.fire()
            return Disposables.create()
        }
        #expect(fired.wait(seconds: 0.3))
        isOver.value = true
        subscription.dispose()
        scheduler.shutdown()
    }

    @Test("The events of a hop keep their order and number over many turns", arguments: Backend.built)
    func hopOverManyTurns(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        let subject = PublishSubject<Int>()
        let done = OneShot()
        nonisolated(unsafe) var (next, isInOrder) = (0, true)
        let subscription = subject.observe(on: scheduler).subscribe(
            onNext: { number in
                isInOrder = isInOrder && number == next
                next += 1
                if number % 97 == 0 { spin(nanoseconds: 250_000) }
            }, onCompleted: done.fire)
        race(
            { for number in 0..<20_000 { subject.onNext(number) } },
            {
                for _ in 0..<1_000 {
                    scheduler.run {}
                    usleep(20)
                }
            })
        subject.onCompleted()
        #expect(done.wait() && isInOrder && next == 20_000)
        subscription.dispose()
        scheduler.shutdown()
    }
}
