// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct JustTests {
    @Test("Each subscription gets the element and the completion") func element() {
        let source = Observable.just(1)
        #expect(events(of: source) == ["1", "completed"])
        #expect(events(of: source) == ["1", "completed"])
        #expect(events(of: Observable<Int?>.just(nil)) == ["nil", "completed"])
    }

    @Test("Both events come inside `subscribe` while the trampoline is busy") func busyTrampoline() {
        let log = EventLog()
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            _ = log.observe(Observable.just(1), "just ")
            _ = log.observe(Observable.of(2), "of ")
            log.note("end of action")
            return Disposables.create()
        }
        #expect(log.lines == ["just 1", "just completed", "end of action", "of 2", "of completed"])
    }

    @Test("Disposal at the element drops the completion in every stage") func disposal() {
        let subject = PublishSubject<Int>()
        var completions = 0
        let log = EventLog { dispose in
            subject.flatMap { element in
                Observable.just(element).do(onCompleted: { completions += 1 })
            }.do(afterNext: { _ in dispose() })
        }
        subject.onNext(1)
        #expect(log.lines == ["1"])
        #expect(completions == 0)
    }

    @Test("A stage that ends with the element gets no completion") func earlierEnd() {
        var completions = 0
        let source = Observable.just(1).do(onCompleted: { completions += 1 })
        #expect(events(of: source.take(1)) == ["1", "completed"])
        #expect(completions == 0)
    }

    @Test("`just` may be passed as a function") func function() {
        let sources = [1, 2].map(Observable.just)
        #expect(events(of: Observable.concat(sources)) == ["1", "2", "completed"])
        #expect(events(of: Observable.of(1, 2).concatMap(Observable.just)) == ["1", "2", "completed"])
    }
}
