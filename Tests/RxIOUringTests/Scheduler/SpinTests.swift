// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct SpinTests {
    @Test("A spinning loop notices work, timers and streams", arguments: Backend.built)
    func allKinds(_ backend: Backend) {
        let scheduler = IOUringScheduler(spin: .upTo(.milliseconds(2)), backend: backend)
        for round in 0..<200 {
            let done = DispatchSemaphore(value: 0)
            scheduler.run { done.signal() }
            _ = scheduler.scheduleRelative((), dueTime: .microseconds(round * 20)) { _ in
                done.signal()
                return Disposables.create()
            }
            let subscription = File.read("/proc/self/stat", scheduler: scheduler).subscribe(onDisposed: {
                done.signal()
            })
            for _ in 0..<3 { #expect(done.wait(timeout: .now() + 5) == .success) }
            subscription.dispose()
        }
        scheduler.shutdown()
    }

    /// The fault: a completion submits work while the loop looks for work, and the loop goes to sleep over it.
    @Test("Work submitted by a completion runs at once", arguments: Backend.built, [1, 50_000])
    func completion(_ backend: Backend, microseconds: Int) {
        let scheduler = IOUringScheduler(spin: .upTo(.microseconds(microseconds)), backend: backend)
        for _ in 0..<20 {
            let done = OneShot()
            // The kernel completes this read at once.
            let subscription = File.read("/dev/zero", chunkSize: 16, scheduler: scheduler).take(1).subscribe(onNext: {
                _ in
                scheduler.run { done.fire() }
            })
            #expect(done.wait(seconds: 2))
            subscription.dispose()
            usleep(100)
        }
        scheduler.shutdown()
    }
}
