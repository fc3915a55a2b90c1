// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// An event loop reuses the objects of actions that have run, which callers must not notice.
@Suite struct ActionReuseTests {
    @Test("Disposing of an action that ran leaves later actions alone", arguments: Backend.built)
    func lateDispose(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let runs = AtomicCounter(0)
            nonisolated(unsafe) var kept: [any Disposable] = []
            for round in 0..<50 {
                let disposables = (0..<20).map { _ in scheduleCount(runs, on: scheduler) }
                #expect(soon { runs.value == (round + 1) * 20 })
                if round.isMultiple(of: 2) { kept += disposables }
                // The actions that wait behind this one must run all the same.
                scheduler.performAndWait { for disposable in kept { disposable.dispose() } }
            }
        }
    }

    @Test("A weakly held disposable is not that of a later action", arguments: Backend.built)
    func weakDisposable(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let runs = AtomicCounter(0)
            var disposable: (any Disposable)? = scheduleCount(runs, on: scheduler)
            weak let old = disposable as AnyObject?
            #expect(soon { runs.value == 1 })
            disposable = nil
            for number in 2...200 {
                let later = scheduleCount(runs, on: scheduler)
                #expect(old == nil || old !== later as AnyObject)
                #expect(soon { runs.value == number })
            }
        }
    }

    /// The race: three threads schedule actions, keep some disposables for a while, and dispose of some before or after the
    /// action ran.
    @Test("Each action runs once unless it was disposed of", arguments: Backend.built)
    func disposeRace(_ backend: Backend) {
        let count = stepCount(200_000, debug: 20_000)
        onLoop(backend) { scheduler in
            let tallies = (0..<3).map { _ in Tally(count) }
            race(
                tallies.map { tally in
                    {
                        var kept: [(number: Int, disposable: any Disposable)] = []
                        for number in 0..<count {
                            let disposable = scheduler.schedule(number) { number in
                                tally.ran(number)
                                return Disposables.create()
                            }
                            if number.isMultiple(of: 7) { kept.append((number, disposable)) }
                            if number % 7 == 3 {
                                disposable.dispose()
                                tally.disposed(number)
                            }
                            if kept.count == 40 {
                                for (number, disposable) in kept {
                                    disposable.dispose()
                                    tally.disposed(number)
                                }
                                kept = []
                            }
                        }
                    }
                })
            scheduler.performAndWait {}
            for tally in tallies { #expect(tally.faults == []) }
        }
    }

    @Test("Actions of the loop and of other threads share objects", arguments: Backend.built)
    func sharedObjects(_ backend: Backend) {
        let count = stepCount(100_000, debug: 20_000)
        onLoop(backend) { scheduler in
            let sum = AtomicCounter(0)
            race(
                { for _ in 0..<count { _ = scheduleCount(sum, on: scheduler) } },
                { [self] in
                    for _ in 0..<count / 100 {
                        scheduler.performAndWait { for _ in 0..<100 { _ = scheduleCount(sum, on: scheduler) } }
                    }
                })
            scheduler.performAndWait {}
            #expect(sum.value == 2 * count)
        }
    }

    @Test("Unused objects are released in time", arguments: Backend.built)
    func unusedObjects(_ backend: Backend) {
        let count = 50_000
        var configuration = IOUringScheduler.Configuration(backend: backend)
        configuration.idleTimeout = 100_000_000
        let scheduler = IOUringScheduler(configuration)
        let before = rx_test_heap_bytes()
        let sum = AtomicCounter(0)
        scheduler.performAndWait { for _ in 0..<count { _ = scheduleCount(sum, on: scheduler) } }
        for _ in 0..<count { _ = scheduleCount(sum, on: scheduler) }
        #expect(soon { sum.value == 2 * count })
        // A tenth of their memory may stay, since the rest of the process allocates, too.
        #expect(soon(seconds: 5) { rx_test_heap_bytes() < before + UInt(count) * 6 })
        scheduler.shutdown()
    }

    private func scheduleCount(_ counter: AtomicCounter, on scheduler: IOUringScheduler) -> any Disposable {
        scheduler.schedule(()) {
            counter.increment()
            return Disposables.create()
        }
    }

    /// The fate of the actions of one thread. The loop writes `runs`, and the thread `wereDisposed`.
    private final class Tally: @unchecked Sendable {
        private var runs: [UInt8]
        private var wereDisposed: [Bool]

        init(_ count: Int) {
            runs = Array(repeating: 0, count: count)
            wereDisposed = Array(repeating: false, count: count)
        }

        func ran(_ number: Int) { runs[number] += 1 }

        func disposed(_ number: Int) { wereDisposed[number] = true }

        var faults: [Int] {
            runs.indices.filter { runs[$0] > 1 || (runs[$0] == 0 && !wereDisposed[$0]) }
        }
    }
}
