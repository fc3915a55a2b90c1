// SPDX-License-Identifier: Apache-2.0

import Benchmark
import OpenCombine
import RxSwift

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo,
        maxDuration: .seconds(2))

    for observers in [1, 8] {
        Benchmark("PublishSubject.1to\(observers).throughput") { benchmark in
            let subject = PublishSubject<Int>()
            let subscriptions = (0..<observers).map { _ in subject.subscribe(onNext: { blackHole($0) }) }
            benchmark.startMeasurement()
            for value in benchmark.scaledIterations {
                subject.onNext(value)
            }
            benchmark.stopMeasurement()
            for subscription in subscriptions {
                subscription.dispose()
            }
        }

        Benchmark("PublishSubject.1to\(observers).throughput.baseline.PassthroughSubject") { benchmark in
            let subject = PassthroughSubject<Int, Never>()
            let subscriptions = (0..<observers).map { _ in subject.sink { blackHole($0) } }
            benchmark.startMeasurement()
            for value in benchmark.scaledIterations {
                subject.send(value)
            }
            benchmark.stopMeasurement()
            for subscription in subscriptions {
                subscription.cancel()
            }
        }
    }

    Benchmark("PublishSubject.lifecycle") { benchmark in
        for value in benchmark.scaledIterations {
            let subject = PublishSubject<Int>()
            let subscription = subject.subscribe(onNext: { blackHole($0) })
            subject.onNext(value)
            subscription.dispose()
        }
    }

    Benchmark("PublishSubject.lifecycle.baseline.PassthroughSubject") { benchmark in
        for value in benchmark.scaledIterations {
            let subject = PassthroughSubject<Int, Never>()
            let subscription = subject.sink { blackHole($0) }
            subject.send(value)
            subscription.cancel()
        }
    }
}
