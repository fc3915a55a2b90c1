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
}
