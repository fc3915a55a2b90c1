import RxSwift
import TestSupport
import Testing

/// Laws L1 and L11: what still happens above an operator when the subscription below it has ended.
@Suite struct BehindTheEndTests {
    private let log = EventLog()

    private func watched(_ name: String, _ source: Observable<Int>) -> Observable<Int> {
        let log = log
        return source.do(
            onSubscribe: { log.note("subscribe \(name)") }, onDispose: { log.note("dispose \(name)") })
    }

    @Test func mergeSubscribesToTheRestBehindTheEnd() {
        _ = log.observe(Observable.merge(.just(1), watched("a", .never()), watched("b", .just(2))).take(1))
        #expect(log.text == "1 completed subscribe a dispose a subscribe b dispose b")
    }

    /// RxSwift does not either.
    @Test func mergeSubscribesToNoSourceBehindAFailure() {
        _ = log.observe(
            Observable.merge(.just(1), .error(NumberedFailure(1)), watched("a", .never())))
        #expect(log.text == "1 error(1)")
    }

    @Test func anEndlessSourceThatMergeSubscribesToBehindTheEndEnds() {
        _ = log.observe(Observable.merge(.just(1), .repeatElement(2), watched("a", .repeatElement(3))).take(1))
        #expect(log.text == "1 completed subscribe a dispose a")
    }

    /// `reduce` completes behind its element, at which `take` has ended the rest. RxSwift disposes of the group there.
    @Test func anOperatorAboveAnEndDoesNotEndOnItsOwn() {
        let log = log
        let groups = Observable.just(0).groupBy { $0 }
        let sums = groups.flatMap { group in
            let watched = group.do(afterCompleted: { log.note("after") }, onDispose: { log.note("dispose") })
            return watched.reduce(0, accumulator: +)
        }
        _ = log.observe(sums.take(1))
        #expect(log.text == "0 completed after dispose")
    }

    @Test func aNotifierIsDisposedOfBehindTheClosuresOfTheDoBelowIt() {
        let log = log
        let notifier = watched("notifier", .of()).do(afterCompleted: { log.note("after") })
        _ = log.observe(Observable<Int>.never().retry(when: { (_: Observable<any Error>) in notifier }))
        #expect(log.text == "subscribe notifier after dispose notifier")
    }

    /// The sources of the operator are disposed of when the outer one has been subscribed to, and `do` runs what it has before.
    @Test(arguments: ["merge", "concat"])
    func anInnerSourceThatFailsMeanwhileIsDisposedOfBehindTheClosures(flattening: String) {
        let log = log
        let failing = Observable<Int>.create { observer in
            observer.onNext(0)
            observer.onError(NumberedFailure(1))
            return Disposables.create()
        }
        let groups = failing.groupBy { $0 }.map { [self] group in
            watched("group", group.asObservable()).do(afterError: { _ in log.note("after") })
        }
        _ = log.observe(flattening == "merge" ? groups.merge() : groups.concat())
        #expect(log.text == "subscribe group 0 error(1) after dispose group")
    }
}
