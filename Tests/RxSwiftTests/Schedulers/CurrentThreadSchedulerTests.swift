// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CurrentThreadSchedulerTests {
    private let scheduler = CurrentThreadScheduler.instance

    @Test("Nested actions wait for the outer one") func nestedActions() {
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

    @Test("A disposed action does not run, and dispose reaches the result of one that ran") func disposedAction() {
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

    @Test("An action that disposes of itself has its result disposed of") func selfDisposal() {
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
}
