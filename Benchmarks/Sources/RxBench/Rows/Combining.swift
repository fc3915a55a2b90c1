// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// Operators with several sources, driven in turns from one thread.
extension Row {
    static var combining: [Row] {
        var rows = [zipOfTwo]
        rows.append(combineLatestOfTwo)
        rows.append(mergeOfFour)
        return rows
    }

    private static var zipOfTwo: Row {
        Row(
            .combining, "zip.2.throughput", vs: "OpenCombine zip", bar: 8, unit: "pair", events: 50_000,
            expected: { 2 * triangle($0) },
            ours: { pairs in
                let sum = Sum()
                let left = PublishSubject<Int>()
                let right = PublishSubject<Int>()
                let subscription = Observable.zip(left, right) { $0 &+ $1 }
                    .subscribe(onNext: { sum.value &+= $0 })
                for value in 0..<pairs {
                    left.onNext(value)
                    right.onNext(value)
                }
                subscription.dispose()
                return sum.value
            },
            peer: zipOfPeer)
    }

    private static var combineLatestOfTwo: Row {
        Row(
            .combining, "combineLatest.2.throughput", vs: "OpenCombine zip", bar: 5, unit: "pair",
            events: 50_000,
            // A pair of events is emitted as 2 i - 1 (but for the first) and 2 i.
            expected: { 4 * triangle($0) - ($0 - 1) },
            expectedOfPeer: { 2 * triangle($0) },
            ours: { pairs in
                let sum = Sum()
                let left = PublishSubject<Int>()
                let right = PublishSubject<Int>()
                let subscription = Observable.combineLatest(left, right) { $0 &+ $1 }
                    .subscribe(onNext: { sum.value &+= $0 })
                for value in 0..<pairs {
                    left.onNext(value)
                    right.onNext(value)
                }
                subscription.dispose()
                return sum.value
            },
            peer: zipOfPeer)
    }

    private static func zipOfPeer(_ pairs: Int) -> Int {
        let sum = Sum()
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let subscription = left.zip(right) { $0 &+ $1 }
            .sink { sum.value &+= $0 }
        for value in 0..<pairs {
            left.send(value)
            right.send(value)
        }
        subscription.cancel()
        return sum.value
    }

    private static var mergeOfFour: Row {
        Row(
            .combining, "merge.4.throughput", vs: "OpenCombine flatMap over the 4", bar: 3, events: 100_000,
            expected: triangle,
            ours: { events in
                let sum = Sum()
                let subjects = (0..<4).map { _ in PublishSubject<Int>() }
                let subscription = Observable.merge(subjects.map { $0.asObservable() })
                    .subscribe(onNext: { sum.value &+= $0 })
                for value in 0..<events {
                    subjects[value & 3].onNext(value)
                }
                subscription.dispose()
                return sum.value
            },
            peer: { events in
                let sum = Sum()
                let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
                let subscription = subjects.publisher
                    .flatMap { $0 }
                    .sink { sum.value &+= $0 }
                for value in 0..<events {
                    subjects[value & 3].send(value)
                }
                subscription.cancel()
                return sum.value
            })
    }
}
