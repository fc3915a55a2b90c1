// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FlatMapFirstTests {
    private let inners = (0..<3).map { _ in PublishSubject<Int>() }
    private let log = EventLog()

    @Test("An element during an inner sequence is ignored") func picture() throws {
        try expectMarbles(
            source: "^1----2---------|",
            second: " ^-7-8-9|",
            result: "^--7-8-9--------|",
            isCold: true
        ) { source, second, _ in source.flatMapFirst { _ in second } }
    }

    @Test("Elements are ignored while an inner sequence runs") func ignored() {
        let numbers = PublishSubject<Int>()
        let (log, inners) = (log, inners)
        _ = log.observe(
            numbers.flatMapFirst { number -> Observable<Int> in
                log.note("made\(number)")
                return inners[number]
            })
        numbers.onNext(0)
        numbers.onNext(1)
        inners[0].onNext(10)
        inners[0].onCompleted()
        numbers.onNext(2)
        numbers.onCompleted()
        inners[2].onNext(12)
        inners[2].onCompleted()
        #expect(log.text == "made0 10 made2 12 completed")
    }
}
