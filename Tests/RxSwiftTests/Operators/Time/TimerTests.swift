import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TimerTests {
    @Test func timerSendsOneNumber() {
        let scheduler = ticks()
        let result = scheduler.start { Observable<Int>.timer(.seconds(100), scheduler: scheduler) }
        #expect(result.events == [.next(300, 0), .completed(300)])
    }

    @Test func timerGoesOnWithItsPeriod() {
        let scheduler = ticks()
        let result = scheduler.start {
            Observable<Int>.timer(.seconds(50), period: .seconds(300), scheduler: scheduler)
        }
        #expect(result.events == [.next(250, 0), .next(550, 1), .next(850, 2)])
    }

    @Test func intervalCounts() {
        let scheduler = ticks()
        let result = scheduler.start { Observable<Int64>.interval(.seconds(100), scheduler: scheduler) }
        #expect(result.events == (0..<7).map { .next(300 + 100 * $0, Int64($0)) })
    }

    @Test func anIntervalOfZeroTakesATickEach() {
        let scheduler = ticks()
        let result = scheduler.start(disposed: 210) { Observable<Int64>.interval(.seconds(0), scheduler: scheduler) }
        #expect(result.events == (0..<9).map { .next(201 + $0, Int64($0)) })
    }

    @Test func anIntervalDisposedBeforeTheFirstNumberIsSilent() {
        let scheduler = ticks()
        let result = scheduler.start { Observable<Int64>.interval(.seconds(1000), scheduler: scheduler) }
        #expect(result.events == [])
    }

    @Test func thePaceDoesNotDrift() {
        var pace = FixedRateSchedule(period: 10, due: 100)
        let answer1 = pace.next(at: 103)
        #expect(answer1 == 7)
        let answer2 = pace.next(at: 111)
        #expect(answer2 == 9)
        // The run due at 130 comes at once; those of 140 to 150 are skipped.
        let answer3 = pace.next(at: 157)
        #expect(answer3 == 0)
        let answer4 = pace.next(at: 158)
        #expect(answer4 == 2)
    }

    @Test func aPaceThatNeverEndsDoesNotOverflow() {
        var pace = FixedRateSchedule(period: .max, due: 100)
        let answer5 = pace.next(at: 100)
        #expect(answer5 == .max - 100)
        let answer6 = pace.next(at: 200)
        #expect(answer6 == .max - 200)
    }
}
