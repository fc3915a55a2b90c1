// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The fault: each arming and each dispose was a message to the loop, and threads that sent more of them than it took filled gigabytes, while it
/// came to nothing else for seconds.
@Suite(.serialized) struct TimerFloodTests {
    enum Flood: CaseIterable {
        case timers, timeouts

        func armAndDispose(_ scheduler: IOUringScheduler) {
            switch self {
            case .timers:
                scheduler.scheduleRelative((), dueTime: .seconds(30)) { _ in Disposables.create() }.dispose()
            case .timeouts:
                Observable<Int>.never().timeout(.seconds(30), scheduler: scheduler).subscribe().dispose()
            }
        }
    }

    @Test(
        "Threads that arm timers and dispose of them at once neither fill the memory nor starve the loop",
        arguments: Backend.withoutFaults, Flood.allCases)
    func armAndDispose(_ backend: Backend, _ flood: Flood) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let ticks = AtomicCounter(0)
            let interval = Observable<Int>.interval(.milliseconds(5), scheduler: scheduler)
                .subscribe(onNext: { _ in ticks.increment() })
            let before = residentBytes()
            let end = DispatchTime.now() + .milliseconds(1_000)
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                while DispatchTime.now() < end {
                    for _ in 0..<100 { flood.armAndDispose(scheduler) }
                }
            }
            #expect(ticks.value > 50, "of 200")
            if !hasSanitizer { #expect(residentBytes() - before < 128 << 20) }
            interval.dispose()
            scheduler.shutdown()
        }
    }
}
