// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// What becomes of the events that an ended loop does not deliver.
@Suite struct HopEndTests {
    /// The fault: the events waited in no queue of the loop, and were dropped without a word when the stage below resumed the hop.
    @Test(
        "Events that wait in a hop which the stages below have paused are an error behind the end of the loop",
        arguments: Backend.built)
    func pausedHop(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let gated = GatedScheduler()
            let (hasFilled, hasEnded) = (OneShot(), OneShot())
            let error = Guarded<IOError?>(nil)
            nonisolated(unsafe) var received = 0
            nonisolated(unsafe) var isInOrder = true
            let subscription = Observable.range(start: 0, count: 50_000)
                .observe(on: scheduler)
                .do(onNext: { if $0 == 1_000 { hasFilled.fire() } })
                .observe(on: gated.scheduler)
                .subscribe(
                    onNext: {
                        if $0 != received { isInOrder = false }
                        received += 1
                    },
                    onError: { failure in
                        error.change { $0 = failure as? IOError }
                        hasEnded.fire()
                    })
            #expect(hasFilled.wait())
            usleep(100_000)
            scheduler.shutdown()
            gated.open()
            #expect(hasEnded.wait())
            #expect(error.value?.code == ECANCELED)
            #expect(isInOrder && (1_000..<50_000).contains(received))
            subscription.dispose()
        }
    }

    /// The fault: the loop did not tell the stage while another thread was inside it.
    @Test(
        "What waits in a delay is an error at the end of the loop, while the source asks whether to pause",
        arguments: Backend.built)
    func delayBesideQuestions(_ backend: Backend) {
        nonisolated(unsafe) var told = 0
        for round in 1...30 {
            onLoop(backend) { scheduler in
                let probe = PausableProbe()
                let (hasEnded, isAsking, mayStop) = (OneShot(), OneShot(), OneShot())
                let error = Guarded<IOError?>(nil)
                let subscription = probe.observable.delay(.seconds(60), scheduler: scheduler).subscribe(onError: {
                    failure in
                    error.change { $0 = failure as? IOError }
                    hasEnded.fire()
                })
                let asker = Thread {
                    probe.emit()
                    isAsking.fire()
                    while !mayStop.wait(seconds: 0) { for _ in 0..<1_000 { probe.ask() } }
                }
                asker.start()
                #expect(isAsking.wait())
                scheduler.shutdown()
                if hasEnded.wait(seconds: 5) { told += 1 }
                #expect(error.value?.code == ECANCELED)
                mayStop.fire()
                #expect(waitUntil { asker.isFinished })
                subscription.dispose()
            }
            if told < round { break }
        }
    }

    @Test(
        "An event that comes to a hop behind the end of its loop is an error",
        arguments: Backend.built)
    func lateEvent(_ backend: Backend) {
        onLoop(backend) { scheduler in
            scheduler.shutdown()
            let hasEnded = OneShot()
            let log = EventLog()
            let subject = PublishSubject<Int>()
            let subscription = subject.observe(on: scheduler).subscribe(
                onNext: { log.note("\($0)") },
                onError: {
                    log.note("\(($0 as? IOError)?.code ?? 0)")
                    hasEnded.fire()
                })
            subject.onNext(1)
            #expect(hasEnded.wait())
            #expect(log.text == "\(ECANCELED)")
            #expect(soon { !subject.hasObservers })
            subscription.dispose()
        }
    }
}
