// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct ShareExamples {
    /// ``ObservableType/share(replay:scope:)``
    @Test func shareReplay() throws {
        try expectPicture(
            """
            source: -a--b-----c--|
            first:  ^a--b-----c--|
            second: -----(^b)-c--|
            """
        ) { (source: Observable<String>, _) in
            source.share(replay: 1)
        }
    }

    /// ``ObservableType/share(replay:scope:)``
    @Test func share() {
        expectPrinted("request\nfirst: 7\nsecond: 7") { print in
            let response = PublishSubject<Int>()
            let request = Observable<Int>.deferred {
                print("request")
                return response
            }
            let shared = request.share(replay: 1)
            let first = shared.subscribe(onNext: { print("first: \($0)") })
            response.onNext(7)
            let second = shared.subscribe(onNext: { print("second: \($0)") })
            first.dispose()
            second.dispose()
        }
    }

    /// ``ObservableType/publish()``, ``ConnectableObservableType/connect()``
    @Test func publishConnected() throws {
        try expectPicture(
            connecting: """
                source:  -a--b--c-|
                connect: --^
                first:   ^--a--b--c-|
                second:  ----^-b--c-|
                """
        ) { (source: Observable<String>, _) in
            source.publish()
        }
    }

    /// ``ObservableType/multicast(makeSubject:)``
    @Test func multicastMakingSubject() throws {
        try expectPicture(
            connecting: """
                source:  -a--b------c-|
                connect: ^
                first:   ^a--b------c-|
                second:  -----(^ab)-c-|
                """
        ) { (source: Observable<String>, _) in
            source.multicast(makeSubject: { ReplaySubject.create(bufferSize: 2) })
        }
    }

    /// ``ObservableType/multicast(_:)``
    @Test func multicast() throws {
        try expectPicture(
            connecting: """
                source:  -a-----b--|
                connect: ---^
                first:   (^x)a-----b--|
                second:  -----(^a)-b--|
                """
        ) { (source: Observable<String>, _) in
            source.multicast(BehaviorSubject(value: "x"))
        }
    }

    /// ``ObservableType/publish()``, ``ObservableType/multicast(_:)``, ``ObservableType/multicast(makeSubject:)``
    @Test func publish() {
        expectPrinted("first: 1\nsecond: 1\nfirst: 2\nsecond: 2") { print in
            let numbers = Observable.of(1, 2).publish()
            _ = numbers.subscribe(onNext: { print("first: \($0)") })
            _ = numbers.subscribe(onNext: { print("second: \($0)") })
            _ = numbers.connect()
        }
    }

    /// ``ObservableType/replay(_:)``
    @Test func replayConnected() throws {
        try expectPicture(
            connecting: """
                source:  -a-b-c------d-|
                connect: ^
                first:   ^a-b-c------d-|
                second:  -------(^bc)d-|
                """
        ) { (source: Observable<String>, _) in
            source.replay(2)
        }
    }

    /// ``ObservableType/replayAll()``
    @Test func replayAllConnected() throws {
        try expectPicture(
            connecting: """
                source:  -a-b-c-------d-|
                connect: ^
                first:   ^a-b-c-------d-|
                second:  -------(^abc)d-|
                """
        ) { (source: Observable<String>, _) in
            source.replayAll()
        }
    }

    /// ``ObservableType/replay(_:)``
    @Test func replay() {
        expectPrinted("late: 2\nlate: 3") { print in
            let numbers = PublishSubject<Int>()
            let replayed = numbers.replay(2)
            let connection = replayed.connect()
            for number in 1...3 { numbers.onNext(number) }
            _ = replayed.subscribe(onNext: { print("late: \($0)") })
            connection.dispose()
        }
    }

    /// ``ObservableType/multicast(_:selector:)``
    @Test func multicastSelector() throws {
        try expectPicture(
            """
            source: -1--2--3-|
            result: -x--y--z-|  x = 1 + 1, y = 2 + 2, z = 3 + 3
            """
        ) { (source: Observable<Int>, _) in
            source.multicast(
                { PublishSubject<Int>() }, selector: { shared in Observable.zip(shared, shared) { "\($0) + \($1)" } })
        }
    }

    /// ``ConnectableObservableType/refCount()``
    @Test func refCountSubscriptions() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            first:  ^a--b-!
            second: --^-b--c!
            third:  ----------^a--b--c-|
            """
        ) { (source: Observable<String>, _) in
            source.publish().refCount()
        }
    }

    /// ``ConnectableObservableType/refCount()``
    @Test func refCount() {
        expectPrinted("subscribed\n1\ndisposed") { print in
            let source = PublishSubject<Int>()
            let shared = source.do(onSubscribe: { print("subscribed") }, onDispose: { print("disposed") })
                .publish()
                .refCount()
            let first = shared.subscribe(onNext: { print($0) })
            let second = shared.subscribe()
            source.onNext(1)
            first.dispose()
            second.dispose()
        }
    }
}
