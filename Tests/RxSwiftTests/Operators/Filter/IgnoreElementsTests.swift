import RxSwift
import TestSupport
import Testing

@Suite struct IgnoreElementsTests {
    @Test func onlyTheEndPasses() {
        #expect(events(of: sequence(1, 2).ignoreElements()) == ["completed"])
        #expect(events(of: sequence(1, 2, error: .expected).ignoreElements()) == ["error(expected)"])
    }
}
