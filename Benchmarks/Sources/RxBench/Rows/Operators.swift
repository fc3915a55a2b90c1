// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

/// Chains with one source.
extension Row {
    static var operators: [Row] {
        [
            twelveStagesFromCreate(
                vs: "OpenCombine, 12 stages", bar: 4,
                peer: { events in
                    let sum = Sum()
                    let subject = PassthroughSubject<Int, Never>()
                    let subscription = twelveStages(subject).sink { sum.value &+= $0 }
                    for value in 0..<events {
                        subject.send(value)
                    }
                    subject.send(completion: .finished)
                    subscription.cancel()
                    return sum.value
                }),
            twelveStagesFromCreate(
                vs: "OpenCombine erased sequence",
                peer: { events in
                    let sum = Sum()
                    let source = (0..<events).publisher.eraseToAnyPublisher()
                    let subscription = twelveStages(source).sink { sum.value &+= $0 }
                    subscription.cancel()
                    return sum.value
                }),
            twelveStagesFromCreate(
                vs: "plain loop",
                peer: { events in
                    let sum = Sum()
                    for value in 0..<opaque(events) {
                        var value = value
                        for stage in 0..<6 {
                            value &+= 1
                            guard value >= stage else { break }
                        }
                        sum.value &+= opaque(value)
                    }
                    return sum.value
                }),
        ] + flatMaps + reductions
    }

    private static func twelveStagesFromCreate(
        vs peerName: String, bar: Double? = nil, peer: @escaping Workload
    ) -> Row {
        Row(
            .operators, "create.12stages.throughput", vs: peerName, bar: bar, events: 100_000,
            expected: { triangle($0) + 6 * $0 },
            ours: { events in
                let sum = Sum()
                let source = Observable<Int>.create { observer in
                    for value in 0..<events {
                        observer.onNext(value)
                    }
                    observer.onCompleted()
                    return Disposables.create()
                }
                twelveStages(source).subscribe(onNext: { sum.value &+= $0 }).dispose()
                return sum.value
            },
            peer: peer)
    }

    private static var flatMaps: [Row] {
        [
            Row(
                .operators, "flatMap.just.x5.throughput", vs: "OpenCombine flatMap(Just) x 5",
                bar: 7, mallocLimit: 2 * 5, events: 20_000,
                expected: { triangle($0) + 5 * $0 },
                ours: { events in
                    let sum = Sum()
                    let subject = PublishSubject<Int>()
                    let subscription =
                        subject
                        .flatMap { Observable.just($0 &+ 1) }
                        .flatMap { Observable.just($0 &+ 1) }
                        .flatMap { Observable.just($0 &+ 1) }
                        .flatMap { Observable.just($0 &+ 1) }
                        .flatMap { Observable.just($0 &+ 1) }
                        .subscribe(onNext: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.onNext(value)
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: { events in
                    let sum = Sum()
                    let subject = PassthroughSubject<Int, Never>()
                    let subscription =
                        subject
                        .flatMap { Just($0 &+ 1) }
                        .flatMap { Just($0 &+ 1) }
                        .flatMap { Just($0 &+ 1) }
                        .flatMap { Just($0 &+ 1) }
                        .flatMap { Just($0 &+ 1) }
                        .sink { sum.value &+= $0 }
                    for value in 0..<events {
                        subject.send(value)
                    }
                    subscription.cancel()
                    return sum.value
                }),
            // An event makes 1 + 2 + 4 inner sources and is emitted 8 times, with 0 to 3 added. Of the four allocations of an inner
            // source, two are flatMap's; the closure itself makes the array and the observable of `of`.
            Row(
                .operators, "flatMap.ofTwo.x3.throughput", vs: "OpenCombine flatMap([2].publisher) x 3",
                bar: 4, mallocLimit: (2 + 2) * 7, events: 10_000,
                expected: { 8 * triangle($0) + 12 * $0 },
                ours: { events in
                    let sum = Sum()
                    let subject = PublishSubject<Int>()
                    let subscription =
                        subject
                        .flatMap { Observable.of($0, $0 &+ 1) }
                        .flatMap { Observable.of($0, $0 &+ 1) }
                        .flatMap { Observable.of($0, $0 &+ 1) }
                        .subscribe(onNext: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.onNext(value)
                    }
                    subscription.dispose()
                    return sum.value
                },
                peer: { events in
                    let sum = Sum()
                    let subject = PassthroughSubject<Int, Never>()
                    let subscription =
                        subject
                        .flatMap { [$0, $0 &+ 1].publisher }
                        .flatMap { [$0, $0 &+ 1].publisher }
                        .flatMap { [$0, $0 &+ 1].publisher }
                        .sink { sum.value &+= $0 }
                    for value in 0..<events {
                        subject.send(value)
                    }
                    subscription.cancel()
                    return sum.value
                }),
        ]
    }

    private static var reductions: [Row] {
        [
            // Without the erasure OpenCombine would not build a pipeline: `map`, `filter` and `reduce` of its sequence
            // publisher run as array operations while the chain is written down. That is the next row.
            rangeMapFilterReduce(
                vs: "OpenCombine sequence publisher", bar: 5,
                peer: { events in
                    let sum = Sum()
                    let subscription = (0..<events).publisher
                        .eraseToAnyPublisher()
                        .map { $0 &* 3 }
                        .filter { $0 & 1 == 0 }
                        .reduce(0) { $0 &+ $1 }
                        .sink { sum.value = $0 }
                    subscription.cancel()
                    return sum.value
                }),
            rangeMapFilterReduce(
                vs: "OpenCombine sequence, eager arrays",
                peer: { events in
                    let sum = Sum()
                    let subscription = (0..<events).publisher
                        .map { $0 &* 3 }
                        .filter { $0 & 1 == 0 }
                        .reduce(0) { $0 &+ $1 }
                        .sink { sum.value = $0 }
                    subscription.cancel()
                    return sum.value
                }),
            rangeMapFilterReduce(
                vs: "plain loop",
                peer: { events in
                    let sum = Sum()
                    for value in 0..<opaque(events) {
                        let mapped = opaque(value) &* 3
                        if mapped & 1 == 0 {
                            sum.value &+= mapped
                        }
                    }
                    return sum.value
                }),
        ]
    }

    private static func rangeMapFilterReduce(
        vs peerName: String, bar: Double? = nil, peer: @escaping Workload
    ) -> Row {
        Row(
            .operators, "range.map.filter.reduce", vs: peerName, bar: bar, events: 100_000,
            // The even values, times 3.
            expected: { 6 * triangle(($0 + 1) / 2) },
            ours: { events in
                let sum = Sum()
                Observable.range(start: 0, count: events)
                    .map { $0 &* 3 }
                    .filter { $0 & 1 == 0 }
                    .reduce(0) { $0 &+ $1 }
                    .subscribe(onNext: { sum.value = $0 })
                    .dispose()
                return sum.value
            },
            peer: peer)
    }
}
