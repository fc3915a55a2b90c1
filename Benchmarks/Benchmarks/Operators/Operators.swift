// SPDX-License-Identifier: Apache-2.0

import Benchmark
import OpenCombine
import RxSwift

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo,
        maxDuration: .seconds(2))

    Benchmark("map.filter.6stages.throughput") { benchmark in
        let subject = PublishSubject<Int>()
        let two = subject.map { $0 &+ 1 }.filter { $0 >= 0 }
        let four = two.map { $0 &+ 1 }.filter { $0 >= 0 }
        let subscription = four.map { $0 &+ 1 }.filter { $0 >= 0 }.subscribe(onNext: { blackHole($0) })
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.onNext(value)
        }
        benchmark.stopMeasurement()
        subscription.dispose()
    }

    Benchmark("map.filter.6stages.throughput.baseline.OpenCombine") { benchmark in
        let subject = PassthroughSubject<Int, Never>()
        let two = subject.map { $0 &+ 1 }.filter { $0 >= 0 }
        let four = two.map { $0 &+ 1 }.filter { $0 >= 0 }
        let subscription = four.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { blackHole($0) }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.send(value)
        }
        benchmark.stopMeasurement()
        subscription.cancel()
    }

    Benchmark("flatMap.just.throughput") { benchmark in
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMap { Observable.just($0) }.subscribe(onNext: { blackHole($0) })
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.onNext(value)
        }
        benchmark.stopMeasurement()
        subscription.dispose()
    }

    Benchmark("flatMap.just.throughput.baseline.OpenCombine") { benchmark in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.flatMap { Just($0) }.sink { blackHole($0) }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.send(value)
        }
        benchmark.stopMeasurement()
        subscription.cancel()
    }

    Benchmark("zip.2.throughput") { benchmark in
        let left = PublishSubject<Int>()
        let right = PublishSubject<Int>()
        let subscription = Observable.zip(left, right) { $0 &+ $1 }.subscribe(onNext: { blackHole($0) })
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            left.onNext(value)
            right.onNext(value)
        }
        benchmark.stopMeasurement()
        subscription.dispose()
    }

    Benchmark("zip.2.throughput.baseline.OpenCombine") { benchmark in
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let subscription = left.zip(right) { $0 &+ $1 }.sink { blackHole($0) }
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            left.send(value)
            right.send(value)
        }
        benchmark.stopMeasurement()
        subscription.cancel()
    }
}
