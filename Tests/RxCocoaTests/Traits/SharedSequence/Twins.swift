// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import TestSupport

extension Twin {
    static let transforming: [Twin] = [
        Twin("map") { driver, log in
            driver.map { log.noting($0) * 10 }
        } plain: { source, _, log in
            source.map { log.noting($0) * 10 }
        },
        Twin("compactMap") { driver, log in
            driver.compactMap { log.noting($0) > 1 ? $0 * 10 : nil }
        } plain: { source, _, log in
            source.compactMap { log.noting($0) > 1 ? $0 * 10 : nil }
        },
        Twin("filter") { driver, _ in
            driver.filter { $0 != 2 }
        } plain: { source, _, _ in
            source.filter { $0 != 2 }
        },
        Twin("scan") { driver, _ in
            driver.scan(100) { $0 + $1 }
        } plain: { source, _, _ in
            source.scan(100) { $0 + $1 }
        },
        Twin("skip") { driver, _ in
            driver.skip(2)
        } plain: { source, _, _ in
            source.skip(2)
        },
        Twin("startWith") { driver, _ in
            driver.startWith(7)
        } plain: { source, _, _ in
            source.startWith(7)
        },
        Twin("do") { driver, log in
            driver.do(
                onNext: { log.note("onNext \($0)") }, afterNext: { log.note("afterNext \($0)") },
                onCompleted: { log.note("onCompleted") }, afterCompleted: { log.note("afterCompleted") },
                onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
                onDispose: { log.note("onDispose") })
        } plain: { source, _, log in
            source.do(
                onNext: { log.note("onNext \($0)") }, afterNext: { log.note("afterNext \($0)") },
                onCompleted: { log.note("onCompleted") }, afterCompleted: { log.note("afterCompleted") },
                onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
                onDispose: { log.note("onDispose") })
        },
        Twin("distinctUntilChanged()") { driver, _ in
            driver.distinctUntilChanged()
        } plain: { source, _, _ in
            source.distinctUntilChanged()
        },
        Twin("distinctUntilChanged(key)") { driver, log in
            driver.distinctUntilChanged { log.noting($0) / 2 }
        } plain: { source, _, log in
            source.distinctUntilChanged { log.noting($0) / 2 }
        },
        Twin("distinctUntilChanged(comparer)") { driver, _ in
            driver.distinctUntilChanged { $0 < $1 }
        } plain: { source, _, _ in
            source.distinctUntilChanged { $0 < $1 }
        },
        Twin("distinctUntilChanged(key, comparer)") { driver, _ in
            driver.distinctUntilChanged({ -$0 }, comparer: { $0 > $1 })
        } plain: { source, _, _ in
            source.distinctUntilChanged({ -$0 }, comparer: { $0 > $1 })
        },
    ]

    static let timed: [Twin] = [
        Twin("delay") { driver, _ in
            driver.delay(.seconds(15))
        } plain: { source, scheduler, _ in
            source.delay(.seconds(15), scheduler: scheduler)
        },
        Twin("debounce") { driver, _ in
            driver.debounce(.seconds(15))
        } plain: { source, scheduler, _ in
            source.debounce(.seconds(15), scheduler: scheduler)
        },
        Twin("throttle") { driver, _ in
            driver.throttle(.seconds(15))
        } plain: { source, scheduler, _ in
            source.throttle(.seconds(15), scheduler: scheduler)
        },
        Twin("throttle(latest: false)") { driver, _ in
            driver.throttle(.seconds(15), latest: false)
        } plain: { source, scheduler, _ in
            source.throttle(.seconds(15), latest: false, scheduler: scheduler)
        },
        Twin("interval") { _, _ in
            Driver.interval(.seconds(20))
        } plain: { _, scheduler, _ in
            .interval(.seconds(20), scheduler: scheduler)
        },
        Twin("timer") { _, _ in
            Driver.timer(.seconds(7), period: .seconds(20))
        } plain: { _, scheduler, _ in
            .timer(.seconds(7), period: .seconds(20), scheduler: scheduler)
        },
    ]

    static let flattening: [Twin] = [
        Twin("flatMap") { driver, _ in
            driver.flatMap { Driver.of($0, $0 * 10) }
        } plain: { source, scheduler, _ in
            source.flatMap { Observable.from([$0, $0 * 10], scheduler: scheduler) }
        },
        Twin("flatMapLatest") { driver, _ in
            driver.flatMapLatest { start in Driver<Int>.interval(.seconds(4)).map { start * 10 + $0 } }
        } plain: { source, scheduler, _ in
            source.flatMapLatest { start in
                Observable<Int>.interval(.seconds(4), scheduler: scheduler).map { start * 10 + $0 }
            }
        },
        Twin("flatMapFirst") { driver, _ in
            driver.flatMapFirst { Driver.just($0).delay(.seconds(15)) }
        } plain: { source, scheduler, _ in
            source.flatMapFirst {
                Observable.just($0).subscribe(on: scheduler).delay(.seconds(15), scheduler: scheduler)
            }
        },
        Twin("switchLatest") { driver, _ in
            driver.map { Driver.of($0, 6, 7).delay(.seconds(8)) }.switchLatest()
        } plain: { source, scheduler, _ in
            source.map {
                Observable.from([$0, 6, 7], scheduler: scheduler).delay(.seconds(8), scheduler: scheduler)
            }.switchLatest()
        },
        Twin("merge()") { driver, _ in
            driver.map { Driver.of($0, 6, 7) }.merge()
        } plain: { source, scheduler, _ in
            source.map { Observable.from([$0, 6, 7], scheduler: scheduler) }.merge()
        },
        Twin("merge(maxConcurrent:)") { driver, _ in
            driver.map { Driver.of($0, 6, 7).delay(.seconds(8)) }.merge(maxConcurrent: 1)
        } plain: { source, scheduler, _ in
            source.map {
                Observable.from([$0, 6, 7], scheduler: scheduler).delay(.seconds(8), scheduler: scheduler)
            }.merge(maxConcurrent: 1)
        },
    ]

    static let combining: [Twin] = [
        Twin("merge(list)") { driver, _ in
            Driver.merge(driver, Driver.of(6, 7), driver.skip(1))
        } plain: { source, scheduler, _ in
            .merge(source, .from([6, 7], scheduler: scheduler), source.skip(1).share(replay: 1))
        },
        Twin("merge(array)") { driver, _ in
            Driver.merge([driver, Driver.of(6, 7)])
        } plain: { source, scheduler, _ in
            .merge([source, .from([6, 7], scheduler: scheduler)])
        },
        Twin("merge(collection)") { driver, _ in
            Driver.merge(ContiguousArray([driver, Driver.of(6, 7)]))
        } plain: { source, scheduler, _ in
            .merge([source, .from([6, 7], scheduler: scheduler)])
        },
        Twin("withLatestFrom") { driver, _ in
            driver.withLatestFrom(driver.map { $0 * 10 }.startWith(5))
        } plain: { source, _, _ in
            source.withLatestFrom(source.map { $0 * 10 }.share(replay: 1).startWith(5).share(replay: 1))
        },
        Twin("withLatestFrom(resultSelector:)") { driver, _ in
            driver.withLatestFrom(driver.scan(0) { $0 + $1 }) { $0 * 100 + $1 }
        } plain: { source, _, _ in
            source.withLatestFrom(source.scan(0) { $0 + $1 }.share(replay: 1)) { $0 * 100 + $1 }
        },
        Twin("concat(collection)") { driver, _ in
            Driver.concat([Driver.of(6, 7), driver, Driver.just(8)])
        } plain: { source, scheduler, _ in
            .concat([
                .from([6, 7], scheduler: scheduler), source, Observable.just(8).subscribe(on: scheduler),
            ])
        },
        Twin("concat(sequence)") { driver, _ in
            Driver.concat(AnySequence([Driver.of(6, 7), driver]))
        } plain: { source, scheduler, _ in
            .concat([.from([6, 7], scheduler: scheduler), source])
        },
        Twin("zip") { driver, _ in
            Driver.zip([driver, driver.skip(1)]).map { $0[0] * 10 + $0[1] }
        } plain: { source, _, _ in
            Observable.zip([source, source.skip(1).share(replay: 1)]).map { $0[0] * 10 + $0[1] }
        },
        Twin("zip(resultSelector:)") { driver, _ in
            Driver.zip([driver, driver.skip(1)]) { $0[0] * 10 + $0[1] }
        } plain: { source, _, _ in
            Observable.zip([source, source.skip(1).share(replay: 1)]) { $0[0] * 10 + $0[1] }
        },
        Twin("combineLatest") { driver, _ in
            Driver.combineLatest([driver, driver.skip(1)]).map { $0[0] * 10 + $0[1] }
        } plain: { source, _, _ in
            Observable.combineLatest([source, source.skip(1).share(replay: 1)]).map { $0[0] * 10 + $0[1] }
        },
        Twin("combineLatest(resultSelector:)") { driver, _ in
            Driver.combineLatest([driver, driver.skip(1)]) { $0[0] * 10 + $0[1] }
        } plain: { source, _, _ in
            Observable.combineLatest([source, source.skip(1).share(replay: 1)]) { $0[0] * 10 + $0[1] }
        },
    ]

    static let creating: [Twin] = [
        Twin("deferred") { driver, log in
            Driver.deferred {
                log.note("made")
                return driver
            }
        } plain: { source, _, log in
            .deferred {
                log.note("made")
                return source
            }
        },
        Twin("empty", isShared: false) { _, _ in
            Driver.empty()
        } plain: { _, scheduler, _ in
            Observable.empty().subscribe(on: scheduler)
        },
        Twin("never", isShared: false) { _, _ in
            Driver.never()
        } plain: { _, _, _ in
            .never()
        },
        Twin("just", isShared: false) { _, _ in
            Driver.just(3)
        } plain: { _, scheduler, _ in
            Observable.just(3).subscribe(on: scheduler)
        },
        Twin("of", isShared: false) { _, _ in
            Driver.of(3, 4)
        } plain: { _, scheduler, _ in
            .from([3, 4], scheduler: scheduler)
        },
        Twin("from(array)", isShared: false) { _, _ in
            Driver.from([3, 4])
        } plain: { _, scheduler, _ in
            .from([3, 4], scheduler: scheduler)
        },
        Twin("from(sequence)", isShared: false) { _, _ in
            Driver.from(AnySequence([3, 4]))
        } plain: { _, scheduler, _ in
            .from(AnySequence([3, 4]), scheduler: scheduler)
        },
        Twin("from(optional: some)", isShared: false) { _, _ in
            Driver.from(optional: 3)
        } plain: { _, scheduler, _ in
            .from(optional: 3, scheduler: scheduler)
        },
        Twin("from(optional: nil)", isShared: false) { _, _ in
            Driver.from(optional: nil)
        } plain: { _, scheduler, _ in
            .from(optional: nil, scheduler: scheduler)
        },
    ]
}

extension EventLog {
    /// Notes that a closure was called with an element, and returns that.
    fileprivate func noting(_ element: Int) -> Int {
        note("called with \(element)")
        return element
    }
}
