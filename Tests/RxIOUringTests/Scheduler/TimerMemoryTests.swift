// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct TimerMemoryTests {
    /// The action captures nothing, since captures are the caller's memory.
    @Test("An outstanding timer takes at most a hundred bytes", .enabled(if: !hasSanitizer), arguments: Backend.built)
    func hundredBytes(_ backend: Backend) {
        let count = 200_000
        let scheduler = IOUringScheduler(backend: backend)
        let done = OneShot()
        nonisolated(unsafe) var void = 0
        nonisolated(unsafe) var int = 0
        scheduler.run {
            void = bytes(count) {
                scheduler.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() }
            }
            int = bytes(count) {
                scheduler.scheduleRelative(7, dueTime: .seconds(1_000)) { _ in Disposables.create() }
            }
            done.fire()
        }
        #expect(done.wait(seconds: 60))
        #expect(void <= 100 && int <= 100, "\(void) bytes with no state, \(int) with an Int")
    }

    /// The resident bytes per timer that `arm` arms. Disposes of the timers.
    private func bytes(_ count: Int, _ arm: () -> any Disposable) -> Int {
        // The array is resident before the first measurement, and so is not counted.
        var disposables = [any Disposable](repeating: Disposables.create(), count: count)
        let before = residentBytes()
        for place in 0..<count { disposables[place] = arm() }
        let after = residentBytes()
        for disposable in disposables { disposable.dispose() }
        disposables = []
        return (after - before) / count
    }
}
