import RxSwift
import TestSupport
import Testing

@Suite struct CurrentThreadSchedulerTests {
    private let scheduler = CurrentThreadScheduler.instance

    @Test func nestedActionsWaitForTheOuterOne() {
        var log: [String] = []
        #expect(CurrentThreadScheduler.isScheduleRequired)
        _ = scheduler.schedule(()) { _ in
            log.append("begin")
            #expect(!CurrentThreadScheduler.isScheduleRequired)
            for name in ["a", "b"] {
                _ = scheduler.schedule(name) { name in
                    log.append(name)
                    return scheduler.schedule(()) { _ in
                        log.append(name + name)
                        return Disposables.create()
                    }
                }
            }
            log.append("end")
            return Disposables.create()
        }
        #expect(log == ["begin", "end", "a", "b", "aa", "bb"])
        #expect(CurrentThreadScheduler.isScheduleRequired)
    }

    @Test func disposedActionDoesNotRunAndTheResultOfARunOneIsDisposedOf() {
        let result = BooleanDisposable()
        let outerResult = BooleanDisposable()
        var queued: (any Disposable)?
        let outer = scheduler.schedule(()) { _ in
            scheduler.schedule(()) { _ in
                Issue.record("was disposed of")
                return Disposables.create()
            }.dispose()
            queued = scheduler.schedule(()) { _ in result }
            return outerResult
        }
        #expect(!result.isDisposed && !outerResult.isDisposed)
        queued?.dispose()
        outer.dispose()
        #expect(result.isDisposed && outerResult.isDisposed)
    }

    @Test func actionThatDisposesOfItselfHasItsResultDisposedOf() {
        let result = BooleanDisposable()
        _ = scheduler.schedule(()) { _ in
            let slot = SerialDisposable()
            slot.disposable = scheduler.schedule(()) { _ in
                slot.dispose()
                return result
            }
            return Disposables.create()
        }
        #expect(result.isDisposed)
    }

    @Test func recursionNeedsNoStack() {
        var count = 0
        _ = scheduler.scheduleRecursive(1) { state, recurse in
            count = state
            if state < 1_000_000 { recurse(state + 1) }
        }
        #expect(count == 1_000_000)
    }

    @Test func recursionMayBranch() {
        var log: [Int] = []
        _ = scheduler.scheduleRecursive(1) { state, recurse in
            log.append(state)
            if state < 4 {
                recurse(2 * state)
                recurse(2 * state + 1)
            }
        }
        #expect(log == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func disposingEndsRecursionAndReleasesItsAction() {
        weak var token: ReleaseToken?
        let virtual = HistoricalScheduler()
        var count = 0
        var recursion: (any Disposable)?
        do {
            let captured = ReleaseToken()
            token = captured
            recursion = virtual.scheduleRecursive(()) { _, recurse in
                withExtendedLifetime(captured) { count += 1 }
                recurse(())
                if count == 5 { recursion?.dispose() }
            }
        }
        #expect(token != nil)
        virtual.start()
        #expect(count == 5)
        #expect(token == nil)
    }

    @Test func disposalIsScheduled() {
        let disposable = BooleanDisposable()
        let virtual = HistoricalScheduler()
        let scheduled = ScheduledDisposable(scheduler: virtual, disposable: disposable)
        scheduled.dispose()
        scheduled.dispose()
        #expect(!disposable.isDisposed && !scheduled.isDisposed)
        virtual.start()
        #expect(disposable.isDisposed && scheduled.isDisposed)
    }
}
