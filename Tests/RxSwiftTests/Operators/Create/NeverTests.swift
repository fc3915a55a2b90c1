import RxSwift
import TestSupport
import Testing

@Suite struct NeverTests {
    @Test func neverIsSilent() {
        #expect(events(of: Observable<Int>.never()) == [])
    }
}
