import RxSwift
import TestSupport
import Testing

@Suite struct ErrorTests {
    @Test func errorFails() {
        #expect(events(of: Observable<Int>.error(Failure.expected)) == ["error(expected)"])
    }
}
