import RxSwift
import TestSupport
import Testing

@Suite struct EmptyTests {
    @Test func emptyCompletes() {
        #expect(events(of: Observable<Int>.empty()) == ["completed"])
    }

    @Test func stagesBelowAnEndedSourceLearnOfTheEnd() {
        var completions = 0
        let source = Observable<Int>.empty().ifEmpty(default: 1).take(1).do(onCompleted: { completions += 1 })
        #expect(events(of: source) == ["1", "completed"])
        #expect(completions == 1)
    }
}
