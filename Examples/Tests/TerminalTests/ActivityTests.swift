// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import Terminal
import Testing

struct ActivityTests {
    @Test("It is active from the first subscription to the end of the last one")
    func overlap() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let observer = scheduler.createObserver(Bool.self)
        let bag = DisposeBag()
        try MainScheduler.replaced(by: scheduler) {
            let activity = Activity()
            activity.isActive.drive(observer).disposed(by: bag)
            let short = try scheduler.createColdObservable(marbles: "--x|").asObservable()
            let failing = try scheduler.createColdObservable(marbles: "---#").asObservable()
            let stop = Observable<Int>.timer(.seconds(1), scheduler: scheduler)
            try scheduler.createHotObservable(marbles: "-a-b--------c---a", start: 0)
                .flatMap { name -> Observable<String> in
                    switch name {
                    case "a": activity.track(short)
                    case "b": activity.track(failing).catch { _ in .empty() }
                    default: activity.track(Observable.never()).take(until: stop)
                    }
                }
                .subscribe().disposed(by: bag)
            scheduler.start()
        }
        #expect(try observer.events.marbles(values: ["1": true, "0": false]) == "01----0-----10--1--0")
    }
}
