// SPDX-License-Identifier: Apache-2.0

import RxBlocking
import RxSwift
import RxTest

func blocking(_ numbers: Observable<Int>) throws {
    _ = try numbers.toBlocking().toArray()
    _ = try numbers.toBlocking(timeout: 1).first() ?? 0
    _ = try numbers.toBlocking().last()
    _ = try numbers.toBlocking().single { $0 > 1 }
    switch numbers.toBlocking().materialize() {
    case .completed(let elements): print(elements)
    case .failed(let elements, let error): print(elements, error)
    }
    _ = try Single.just(1).toBlocking().single()
}

func virtualTime() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(300)])
    let cold = scheduler.createColdObservable([.next(10, "a"), .error(20, MyError.bad)])
    let result = scheduler.start { hot.flatMap { _ in cold } }
    _ = result.events == [.next(220, "a"), .error(230, MyError.bad)]
    let observer = scheduler.createObserver(Int.self)
    _ = hot.subscribe(observer)
    scheduler.scheduleAt(400) { print("here") }
    scheduler.start()
    _ = scheduler.start(created: 0, subscribed: 100, disposed: 500) { hot.asObservable() }
    _ = hot.subscriptions == [Subscription(200, 300)]
}
