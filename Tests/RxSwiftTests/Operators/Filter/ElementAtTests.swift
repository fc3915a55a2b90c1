import RxSwift
import TestSupport
import Testing

@Suite struct ElementAtTests {
    @Test func completesWithTheElement() {
        let subject = PublishSubject<Int>()
        let log = EventLog(subject.element(at: 1))
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["2", "completed"] && !subject.hasObservers)
    }

    @Test func tooFewElementsAreAnError() {
        #expect(events(of: sequence(1).element(at: 1)).first?.hasPrefix("error(Argument out of range") == true)
        var error: (any Error)?
        _ = sequence(1).element(at: 1).subscribe(onError: { error = $0 })
        guard case RxError.argumentOutOfRange? = error else { return #expect(Bool(false)) }
    }

    @Test func errorPasses() {
        #expect(events(of: sequence(1, error: .expected).element(at: 1)) == ["error(expected)"])
    }
}
