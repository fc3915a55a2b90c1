// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// What operators with a timer do when the loop that runs it ends.
@Suite struct TimerEndTests {
    /// An operator that needs the timer of the loop.
    enum Waiting: String, CaseIterable {
        case buffer, window, debounce, throttle, timeout, take, skip, delay, idleGroup

        /// True if it fails at once: an element waits in it, or a limit of it. The others fail at the next element.
        var failsAtOnce: Bool { ![.window, .take, .skip].contains(self) }

        func applied(to source: Observable<Int>, on loop: IOUringScheduler) -> Observable<Int> {
            let time = RxTimeInterval.seconds(60)
            return switch self {
            case .buffer: source.buffer(timeSpan: time, count: 0, scheduler: loop).map { $0.count }
            case .window: source.window(timeSpan: time, count: 0, scheduler: loop).map { _ in 0 }
            case .debounce: source.debounce(time, scheduler: loop)
            case .throttle: Observable.just(0).concat(source).throttle(time, scheduler: loop)
            case .timeout: source.timeout(time, scheduler: loop)
            case .take: source.take(for: time, scheduler: loop)
            case .skip: source.skip(time, scheduler: loop)
            case .delay: source.delay(time, scheduler: loop)
            case .idleGroup: source.groupBy({ $0 }, idleTimeout: time, scheduler: loop).map { $0.key }
            }
        }
    }

    @Test(
        "An operator whose timer the loop drops at its end, or does not take any more, fails when an element waits or comes",
        arguments: Backend.built, Waiting.allCases)
    func ends(_ backend: Backend, _ operation: Waiting) {
        for isShutDownBefore in [false, true] {
            onLoop(backend) { scheduler in
                if isShutDownBefore { scheduler.shutdown() }
                let hasEnded = OneShot()
                let error = Guarded<IOError?>(nil)
                let subject = PublishSubject<Int>()
                let source = operation.failsAtOnce ? Observable.just(1).concat(subject) : subject.asObservable()
                let subscription = operation.applied(to: source, on: scheduler).subscribe(onError: { failure in
                    error.change { $0 = failure as? IOError }
                    hasEnded.fire()
                })
                scheduler.shutdown()
                if !operation.failsAtOnce { #expect(!hasEnded.wait(seconds: 0.02)) }
                #expect(
                    waitUntil {
                        if !operation.failsAtOnce { subject.onNext(2) }
                        return hasEnded.wait(seconds: 0)
                    })
                #expect(error.value?.code == ECANCELED)
                subscription.dispose()
                #expect(waitUntil { !subject.hasObservers })
            }
        }
    }

    /// The loop cannot end while a subscriber that it has told tries again, and is told again.
    @Test(
        "A loop ends beside an operator that is subscribed to again at each error",
        arguments: Backend.built, Waiting.allCases)
    func retried(_ backend: Backend, _ operation: Waiting) {
        onLoop(backend) { scheduler in
            let source = Observable.just(1).concat(Observable.never())
            let subscription = operation.applied(to: source, on: scheduler).retry().subscribe()
            let hasReturned = OneShot()
            Thread.detachNewThread {
                scheduler.shutdown()
                hasReturned.fire()
            }
            #expect(hasReturned.wait(seconds: 2))
            subscription.dispose()
        }
    }
}
