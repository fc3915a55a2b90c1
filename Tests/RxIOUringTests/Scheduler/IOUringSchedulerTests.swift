// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct IOUringSchedulerTests {
    @Test("Actions run in the order of submission", arguments: Backend.built)
    func actions(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        #expect(scheduler.backend == backend.kind)
        nonisolated(unsafe) var log: [Int] = []
        for number in 0..<1_000 {
            _ = scheduler.schedule(number) {
                log.append($0)
                return Disposables.create()
            }
        }
        scheduler.shutdown()
        #expect(log == Array(0..<1_000))
    }

    @Test("Timers fire in the order of their deadlines", arguments: Backend.built)
    func timers(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        nonisolated(unsafe) var log: [Int] = []
        let done = DispatchSemaphore(value: 0)
        for number in [30, 10, 20] {
            _ = scheduler.scheduleRelative(number, dueTime: .milliseconds(number)) {
                log.append($0)
                if log.count == 3 { done.signal() }
                return Disposables.create()
            }
        }
        done.wait()
        scheduler.shutdown()
        #expect(log == [10, 20, 30])
    }

    @Test("A loop reads a file", arguments: Backend.built)
    func file(_ backend: Backend) {
        let scheduler = IOUringScheduler(backend: backend)
        nonisolated(unsafe) var bytes = 0
        let done = DispatchSemaphore(value: 0)
        _ = File.read("/proc/self/status", chunkSize: 100, scheduler: scheduler).subscribe(
            onNext: { bytes += $0.count }, onError: { print($0) }, onDisposed: { done.signal() })
        done.wait()
        scheduler.shutdown()
        #expect(bytes > 100)
    }
}
