// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import OpenCombine
import OpenCombineDispatch
import RxSwift

/// Hops: one thread emits, another one handles. A call lasts from the first event to the end of the handling of the last one.
extension Row {
    static var hops: [Row] {
        var rows = [
            serialHop(
                vs: "OpenCombine receive(on:)", bar: 12,
                peer: { events in
                    let sum = Sum()
                    let done = Completion()
                    let subject = PassthroughSubject<Int, Never>()
                    let subscription =
                        subject
                        .receive(on: DispatchQueue(label: "peer").ocombine)
                        .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { sum.value &+= $0 })
                    for value in 0..<events {
                        subject.send(value)
                    }
                    subject.send(completion: .finished)
                    done.wait("receive(on:)")
                    subscription.cancel()
                    return sum.value
                }),
            serialHop(
                vs: "DispatchQueue.async per event", bar: 5,
                peer: { events in
                    let sum = Sum()
                    let done = Completion()
                    let queue = DispatchQueue(label: "peer")
                    for value in 0..<events {
                        queue.async { sum.value &+= value }
                    }
                    queue.async { done.signal() }
                    done.wait("DispatchQueue.async")
                    return sum.value
                }),
            serialHop(
                vs: "AsyncStream, one task",
                peer: { events in
                    let sum = Sum()
                    let done = Completion()
                    let (stream, continuation) = AsyncStream<Int>.makeStream()
                    Task.detached {
                        for await value in stream {
                            sum.value &+= value
                        }
                        done.signal()
                    }
                    for value in 0..<events {
                        continuation.yield(value)
                    }
                    continuation.finish()
                    done.wait("AsyncStream")
                    return sum.value
                }),
        ]
        rows.append(operationQueueHop)
        return rows + pingPongs
    }

    private static func serialHop(vs peerName: String, bar: Double? = nil, peer: @escaping Workload) -> Row {
        Row(
            .hops, "observeOn.serial.throughput", vs: peerName, bar: bar, events: 100_000,
            expected: triangle,
            ours: { events in
                let sum = Sum()
                let done = Completion()
                let subject = PublishSubject<Int>()
                let subscription =
                    subject
                    .observe(on: SerialDispatchQueueScheduler(qos: .default))
                    .subscribe(onNext: { sum.value &+= $0 }, onCompleted: { done.signal() })
                for value in 0..<events {
                    subject.onNext(value)
                }
                subject.onCompleted()
                done.wait("observe(on: serial)")
                subscription.dispose()
                return sum.value
            },
            peer: peer)
    }

    private static var operationQueueHop: Row {
        Row(
            .hops, "observeOn.operationQueue.throughput", vs: "addOperation per event", bar: 20, events: 20_000,
            expected: triangle,
            ours: { events in
                let sum = Sum()
                let done = Completion()
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                let subject = PublishSubject<Int>()
                let subscription =
                    subject
                    .observe(on: OperationQueueScheduler(operationQueue: queue))
                    .subscribe(onNext: { sum.value &+= $0 }, onCompleted: { done.signal() })
                for value in 0..<events {
                    subject.onNext(value)
                }
                subject.onCompleted()
                done.wait("observe(on: operation queue)")
                subscription.dispose()
                return sum.value
            },
            peer: { events in
                let sum = Sum()
                let done = Completion()
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                for value in 0..<events {
                    queue.addOperation { sum.value &+= value }
                }
                queue.addOperation { done.signal() }
                done.wait("addOperation")
                return sum.value
            })
    }

    /// One event goes to and fro between two serial queues, so every hop wakes a thread: latency, not throughput.
    private static var pingPongs: [Row] {
        [
            pingPong(
                vs: "OpenCombine receive(on:)",
                peer: { rallies in
                    let done = Completion()
                    let ping = PassthroughSubject<Int, Never>()
                    let pong = PassthroughSubject<Int, Never>()
                    let left = ping.receive(on: DispatchQueue(label: "left").ocombine)
                        .sink { pong.send($0 + 1) }
                    let count = Sum()
                    let right = pong.receive(on: DispatchQueue(label: "right").ocombine)
                        .sink { value in
                            count.value = value
                            if value < rallies {
                                ping.send(value)
                            } else {
                                done.signal()
                            }
                        }
                    ping.send(0)
                    done.wait("ping-pong of receive(on:)")
                    left.cancel()
                    right.cancel()
                    return count.value
                }),
            pingPong(
                vs: "DispatchQueue.async",
                peer: { rallies in
                    let done = Completion()
                    let left = DispatchQueue(label: "left")
                    let right = DispatchQueue(label: "right")
                    let count = Sum()
                    @Sendable func ping(_ value: Int) {
                        left.async { pong(value + 1) }
                    }
                    @Sendable func pong(_ value: Int) {
                        right.async {
                            count.value = value
                            if value < rallies {
                                ping(value)
                            } else {
                                done.signal()
                            }
                        }
                    }
                    ping(0)
                    done.wait("ping-pong of DispatchQueue.async")
                    return count.value
                }),
        ]
    }

    private static func pingPong(vs peerName: String, peer: @escaping Workload) -> Row {
        Row(
            .hops, "observeOn.pingpong.latency", vs: peerName, unit: "rally", events: 1_000,
            expected: { $0 },
            ours: { rallies in
                let done = Completion()
                let ping = PublishSubject<Int>()
                let pong = PublishSubject<Int>()
                let left = ping.observe(on: SerialDispatchQueueScheduler(qos: .default))
                    .subscribe(onNext: { pong.onNext($0 + 1) })
                let count = Sum()
                let right = pong.observe(on: SerialDispatchQueueScheduler(qos: .default))
                    .subscribe(onNext: { value in
                        count.value = value
                        if value < rallies {
                            ping.onNext(value)
                        } else {
                            done.signal()
                        }
                    })
                ping.onNext(0)
                done.wait("ping-pong of observe(on:)")
                left.dispose()
                right.dispose()
                return count.value
            },
            peer: peer)
    }
}
