// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ElementAtTests {
    @Test("The result completes with the element") func element() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.element(at: 1))
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["2", "completed"] && !subject.hasObservers)
    }

    @Test("Too few elements end the result with an error") func tooFew() {
        #expect(events(of: sequence(1).element(at: 1)).first?.hasPrefix("error(Argument out of range") == true)
        var error: (any Error)?
        _ = sequence(1).element(at: 1).subscribe(onError: { error = $0 })
        guard case RxError.argumentOutOfRange? = error else { return #expect(Bool(false)) }
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).element(at: 1)) == ["error(expected)"])
    }
}
