// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Dispatch
import OpenCombine
import OpenCombineDispatch
import RxSwift

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .contextSwitches],
        scalingFactor: .kilo,
        maxDuration: .seconds(2))

    Benchmark("observeOn.serial.throughput") { benchmark in
        let done = DispatchSemaphore(value: 0)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: SerialDispatchQueueScheduler(qos: .default))
            .subscribe(onNext: { blackHole($0) }, onCompleted: { done.signal() })
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.onNext(value)
        }
        subject.onCompleted()
        done.wait()
        benchmark.stopMeasurement()
        subscription.dispose()
    }

    Benchmark("observeOn.serial.throughput.baseline.receiveOn") { benchmark in
        let done = DispatchSemaphore(value: 0)
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.receive(on: DispatchQueue(label: "peer").ocombine)
            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { blackHole($0) })
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            subject.send(value)
        }
        subject.send(completion: .finished)
        done.wait()
        benchmark.stopMeasurement()
        subscription.cancel()
    }

    Benchmark("observeOn.serial.throughput.baseline.DispatchQueue") { benchmark in
        let done = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "peer")
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            queue.async { blackHole(value) }
        }
        queue.async { done.signal() }
        done.wait()
        benchmark.stopMeasurement()
    }

    // One event goes there and back: the histogram shows mostly the waking of two threads.
    let roundTrip = Benchmark.Configuration(
        metrics: [.wallClock, .contextSwitches], maxDuration: .seconds(2), maxIterations: 20_000)

    Benchmark("observeOn.roundtrip.latency", configuration: roundTrip) { benchmark in
        let done = DispatchSemaphore(value: 0)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: SerialDispatchQueueScheduler(qos: .default))
            .subscribe(onNext: { _ in done.signal() })
        benchmark.startMeasurement()
        subject.onNext(1)
        done.wait()
        benchmark.stopMeasurement()
        subscription.dispose()
    }

    Benchmark("observeOn.roundtrip.latency.baseline.DispatchQueue", configuration: roundTrip) { benchmark in
        let done = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "peer")
        benchmark.startMeasurement()
        queue.async { done.signal() }
        done.wait()
        benchmark.stopMeasurement()
    }
}
