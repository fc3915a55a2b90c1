import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LoopReleaseTests {
    #if TRACE_RESOURCES
        @Test(arguments: IOUringScheduler.Backend.built)
        func nothingIsLeftOfALoopWhoseTimersHaveFired(_ backend: IOUringScheduler.Backend) async {
            await quiet { Int(Resources.total) }
            let before = Resources.total
            do {
                let scheduler = IOUringScheduler(backend: backend)
                let fired = OneShot()
                _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) {
                    fired.fire()
                    return Disposables.create()
                }
                #expect(fired.wait())
                scheduler.shutdown()
            }
            #expect(await eventually { Resources.total <= before }, "\(Resources.census())")
        }
    #endif
}
