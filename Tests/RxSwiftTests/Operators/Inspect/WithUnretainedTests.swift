// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct WithUnretainedTests {
    private final class Object {
        let id = 7
    }

    @Test("The object comes with each element") func object() {
        let object = Object()
        #expect(
            events(of: sequence(1, 2).withUnretained(object).map { $0.id + $1 }) == ["8", "9", "completed"])
        #expect(
            events(of: sequence(1, error: .expected).withUnretained(object) { $0.id + $1 }) == [
                "8", "error(expected)",
            ])
    }

    @Test("The result completes at the first element after the object's release") func releasedObject() {
        var object: Object? = Object()
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.withUnretained(object!) { $0.id + $1 })
        subject.onNext(1)
        object = nil
        #expect(subject.hasObservers)
        subject.onNext(2)
        #expect(!subject.hasObservers && log.lines == ["8", "completed"])
    }
}
