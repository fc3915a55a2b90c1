// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Dispatch
import RxSwift

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo,
        maxDuration: .seconds(2))

    Benchmark("timer.arm.dispose") { benchmark in
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            Observable<Int>.timer(.seconds(3_600), scheduler: scheduler)
                .subscribe(onNext: { blackHole($0) })
                .dispose()
        }
        benchmark.stopMeasurement()
    }

    Benchmark("scheduleRelative.arm.dispose") { benchmark in
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            scheduler.scheduleRelative(value, dueTime: .seconds(3_600)) { value in
                blackHole(value)
                return Disposables.create()
            }
            .dispose()
        }
        benchmark.stopMeasurement()
    }

    Benchmark("timer.arm.dispose.baseline.DispatchSource") { benchmark in
        let queue = DispatchQueue(label: "peer")
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + .seconds(3_600))
            source.setEventHandler { blackHole(value) }
            source.activate()
            source.cancel()
        }
        queue.sync {}
        benchmark.stopMeasurement()
    }
}
