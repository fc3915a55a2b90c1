// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// When closures, and what they hold, are released while a subscription lives (law L6).
@Suite struct ReleasedClosuresTests {
    @Test("Closures are released when nothing can call them again") func uncallable() {
        final class Model {
            let bag = DisposeBag()
            let relay = PublishSubject<Int>()
        }
        let notes = EventLog()
        let source = PublishSubject<Int>()
        let outer = PublishSubject<Int>()
        var dropped: PublishSubject<Int>? = PublishSubject()
        do {
            let (ended, left) = (Model(), Model())
            for model in [ended, left] { source.subscribe(onNext: { notes.note("\($0)") }).disposed(by: model.bag) }
            _ = outer.flatMap { _ in ended.relay.map { $0 } }.subscribe()
            _ = dropped!.do(onNext: { left.relay.onNext($0) }).subscribe()
        }
        source.onNext(1)
        #expect(notes.lines == ["1", "1"])
        outer.onNext(1)
        outer.onCompleted()
        dropped = nil
        source.onNext(2)
        #expect(notes.lines == ["1", "1"])
    }
}
