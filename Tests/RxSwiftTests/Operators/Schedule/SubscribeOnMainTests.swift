// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct SubscribeOnMainTests {
    private let main = MainQueueMark()

    @Test("Everything comes on the main queue, in order") func order() async {
        let log = EventLog()
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(
            onMainNext: { log.note("\($0) \(main.isHere)") }, onError: { log.note("\($0) \(main.isHere)") },
            onDisposed: { log.note("disposed \(main.isHere)") })
        race {
            for number in 0..<3 { subject.onNext(number) }
            subject.onError(Failure.expected)
        }
        let all = ["0 true", "1 true", "2 true", "expected true", "disposed true"]
        #expect(await eventually { log.lines == all })
        subscription.dispose()
    }

    @Test("On the main queue it comes inside the call") @MainActor func inside() {
        let log = EventLog()
        _ = Observable.of(1, 2).subscribe(onMainNext: { log.note("\($0)") }, onCompleted: { log.note("completed") })
        #expect(log.lines == ["1", "2", "completed"])
    }

    @Test("A dispose elsewhere runs onDisposed later, on the main queue") func disposedElsewhere() async {
        let log = EventLog()
        let subscription = Observable<Int>.never()
            .subscribe(onMainNext: { _ in }, onDisposed: { log.note("disposed \(main.isHere)") })
        race { subscription.dispose() }
        #expect(await eventually { log.lines == ["disposed true"] })
    }
}
