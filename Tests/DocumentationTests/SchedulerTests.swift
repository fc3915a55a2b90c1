// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

/// A mark that tells queues from one another.
private struct QueueMark: Sendable {
    private let key = DispatchSpecificKey<String>()

    func mark(_ queue: DispatchQueue, _ name: String) { queue.setSpecific(key: key, value: name) }

    var current: String { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }
}

extension Documentation {
    @Suite struct SchedulerTests {
        private let console = Console()
        private let queues = QueueMark()

        private func background() -> SerialDispatchQueueScheduler {
            let queue = DispatchQueue(label: "background")
            queues.mark(queue, "background")
            return SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "background")
        }

        @Test("observe(on:) moves the operators below it") func observeOn() async {
            queues.mark(.main, "main")
            let numbers = PublishSubject<Int>()
            let subscription =
                numbers
                .observe(on: background())
                .map { [console, queues] number -> Int in
                    console.print("decoding \(number): \(queues.current)")
                    return number
                }
                .observe(on: MainScheduler.instance)
                .subscribe(onNext: { [console, queues] number in console.print("showing \(number): \(queues.current)") }
                )
            numbers.onNext(1)
            #expect(await eventually { console.lines.count == 2 })
            #expect(console.lines == ["decoding 1: background", "showing 1: main"])
            subscription.dispose()
        }

        @Test("subscribe(on:) moves the work of subscribing") func subscribeOn() async {
            queues.mark(.main, "main")
            let data = Observable<Int>.create { [console, queues] observer in
                console.print("loading: \(queues.current)")
                observer.onNext(1)
                observer.onCompleted()
                return Disposables.create()
            }
            let subscription =
                data
                .subscribe(on: background())
                .observe(on: MainScheduler.instance)
                .subscribe(
                    onNext: { [console, queues] _ in console.print("showing: \(queues.current)") },
                    onCompleted: { [console, queues] in console.print("completed: \(queues.current)") })
            #expect(await eventually { console.lines.count == 3 })
            #expect(console.lines == ["loading: background", "showing: main", "completed: main"])
            subscription.dispose()
        }

        /// Pictures for a fast finger: the chain fetches, decodes and shows only the latest.
        @Test("Pictures are fetched, decoded and shown") func pictures() {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let urls = scheduler.createHotObservable([
                .next(100, "a"), .next(150, "b"), .next(200, "c"), .next(900, "d"),
            ])
            let subscription =
                urls
                .throttle(.milliseconds(200), scheduler: scheduler)
                .flatMapLatest { url in Observable.just("data of \(url)").delay(.milliseconds(50), scheduler: scheduler)
                }
                .observe(on: scheduler)
                .map { data in "picture of \(data)" }
                .subscribe(onNext: { [console] picture in console.print("\(scheduler.clock): \(picture)") })
            scheduler.start()
            subscription.dispose()
            #expect(
                console.lines == [
                    "150: picture of data of a", "350: picture of data of c", "950: picture of data of d",
                ])
        }

        @Test("interval and timer run in virtual time") func virtualTime() {
            let scheduler = TestScheduler(initialClock: 0)
            let disposeBag = DisposeBag()
            Observable<Int>.timer(.seconds(3), scheduler: scheduler)
                .subscribe { [console] event in console.print("\(scheduler.clock): timer \(event)") }
                .disposed(by: disposeBag)
            Observable<Int>.interval(.seconds(2), scheduler: scheduler)
                .take(2)
                .subscribe { [console] event in console.print("\(scheduler.clock): interval \(event)") }
                .disposed(by: disposeBag)
            scheduler.start()
            #expect(
                console.lines == [
                    "2: interval next(0)", "3: timer next(0)", "3: timer completed",
                    "4: interval next(1)", "4: interval completed",
                ])
        }
    }
}
