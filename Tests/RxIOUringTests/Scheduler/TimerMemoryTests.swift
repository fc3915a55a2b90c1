import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct TimerMemoryTests {
    /// Their allocators make everything larger.
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// With an action that captures nothing; what it captures is the caller's.
    @Test(.enabled(if: !isSanitized), arguments: IOUringScheduler.Backend.built)
    func anOutstandingTimerTakesAtMostAHundredBytes(_ backend: IOUringScheduler.Backend) {
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

    /// Bytes of resident memory per timer that `arm` arms. They are disposed of then.
    private func bytes(_ count: Int, _ arm: () -> any Disposable) -> Int {
        // Where they are kept is not counted: it was written to before.
        var disposables = [any Disposable](repeating: Disposables.create(), count: count)
        let before = residentBytes()
        for place in 0..<count { disposables[place] = arm() }
        let after = residentBytes()
        for disposable in disposables { disposable.dispose() }
        disposables = []
        return (after - before) / count
    }
}
