import RxSwift
import TestSupport
import Testing

/// Law L8: recursion through the tail of a concat needs neither stack nor memory, and linear time.
@Suite struct ConcatTailTests {
    @Test func aDeferredTailOnASchedulerNeedsNoStack() {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let steps = 200_000
        @Sendable func again(_ step: Int) -> Observable<Int> {
            let head = Observable.just(step, scheduler: scheduler)
            return step == steps ? head : head.concat(Observable.deferred { again(step + 1) })
        }
        let last = AtomicCounter(0)
        let hasCompleted = AtomicCounter(0)
        _ = again(1).subscribe(onNext: { _ in last.increment() }, onCompleted: { hasCompleted.increment() })
        #expect(settles { hasCompleted.value == 1 })
        #expect(last.value == steps)
    }

    @Test func aDeferredTailOfSynchronousSourcesNeedsNoStack() {
        let steps = 200_000
        @Sendable func again(_ step: Int) -> Observable<Int> {
            let head = Observable.of(step, step)
            return step == steps ? head : head.concat(Observable.deferred { again(step + 1) })
        }
        var count = 0
        _ = again(1).subscribe(onNext: { _ in count += 1 })
        #expect(count == 2 * steps)
    }

    @Test func aTailThatThrowsFails() {
        let log = EventLog()
        _ = log.observe(Observable.just(1).concat(Observable.deferred { throw NumberedFailure(3) }))
        #expect(log.text == "1 error(3)")
    }

    @Test func theFactoryOfATailRunsWhenItIsItsTurn() {
        let log = EventLog()
        let head = PublishSubject<Int>()
        _ = log.observe(
            head.concat(
                Observable.deferred {
                    log.note("made")
                    return .just(2)
                }))
        head.onNext(1)
        head.onCompleted()
        #expect(log.text == "1 made 2 completed")
    }
}
