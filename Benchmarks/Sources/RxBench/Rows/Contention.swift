// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Foundation
import OpenCombine
import RxSwift

/// The contention of threads at one subject: each figure is the worst that one of the threads met.
extension Figure {
    static func contention(_ extent: Extent) -> [Figure] {
        replaySubscribers(extent) + eightProducers(extent) + mainThread(extent)
    }

    // MARK: Subscribers to a long replay

    private static func replaySubscribers(_ extent: Extent) -> [Figure] {
        let size = extent.of(100_000, quick: 20_000)
        let calls = extent.of(100_000, quick: 10_000)
        let name = "ReplaySubject.besideSubscribers.onNext.worstCall"
        return [
            Figure(
                area: .replaying, name: name,
                unit: """
                    µs of thread CPU, the most of \(calls) calls beside a thread that subscribes to \(size) \
                    elements\(leastOfRounds)
                    """,
                limit: 100, ours: { least { worstEmission(size, calls, besideSubscribers: true) } },
                peerName: "no subscribers", peer: { least { worstEmission(size, calls, besideSubscribers: false) } })
        ]
    }

    private static func worstEmission(_ size: Int, _ calls: Int, besideSubscribers: Bool) -> Double {
        let subject = ReplaySubject<Int>.create(bufferSize: size)
        for value in 0..<size { subject.onNext(value) }
        let subscribers = Callers(besideSubscribers ? 1 : 0) { _, _ in
            let sum = Sum()
            subject.subscribe(onNext: { sum.value &+= $0 }).dispose()
        }
        let worst = onThread {
            var worst: UInt64 = 0
            for value in -warmUpCalls..<calls {
                let start = plain_thread_time()
                subject.onNext(value)
                if value >= 0 { worst = max(worst, plain_thread_time() - start) }
                // Leaves time for many subscriptions during the calls.
                if value % 1_000 == 0 { usleep(1_000) }
            }
            return worst
        }
        let subscriptions = subscribers.stop().reduce(0) { $0 + $1.calls }
        if besideSubscribers, subscriptions == 0 { fail("ReplaySubject.besideSubscribers: there was no subscription") }
        return Double(worst) / 1e3
    }

    // MARK: Eight producers

    private static func eightProducers(_ extent: Extent) -> [Figure] {
        let seconds = extent.of(2.0, quick: 0.2)
        let ours = Once {
            let subject = PublishSubject<Int>()
            let count = Sum()
            let subscription = subject.subscribe(onNext: { _ in count.value += 1 })
            return crowd(seconds, { subject.onNext($0) }, count, close: subscription.dispose)
        }
        let peer = Once {
            let subject = PassthroughSubject<Int, Never>()
            let count = Sum()
            let subscription = subject.sink { _ in count.value += 1 }
            return crowd(seconds, { subject.send($0) }, count, close: subscription.cancel)
        }
        func figure(_ what: String, _ unit: String, limit: Double, _ value: @escaping (Crowd) -> Double) -> Figure {
            Figure(
                area: .subjects, name: "PublishSubject.8producers.\(what)", unit: unit, limit: limit,
                ours: { value(ours.value) }, peerName: "OpenCombine PassthroughSubject", peer: { value(peer.value) })
        }
        return [
            figure("slowestShare", "times the slowest of 8 threads' calls go into the mean", limit: 4, \.unfairness),
            figure(
                "worstCall", "µs of thread CPU in the call that took most, in \(seconds) s", limit: 3_000, \.worstCPU),
            figure("memory", "MB by which resident memory grew", limit: 64, \.megabytes),
        ]
    }

    private struct Crowd {
        /// The mean of the threads' calls, divided by those of the thread with fewest.
        let unfairness: Double
        /// The processor time of the worst call, in microseconds.
        let worstCPU: Double
        let megabytes: Double
    }

    private static func crowd(
        _ seconds: Double, _ send: @escaping (Int) -> Void, _ delivered: Sum, close: () -> Void
    ) -> Crowd {
        var accounts: [Callers.Account] = []
        let megabytes = PeakMemory.growth {
            let callers = Callers(8) { _, number in send(number) }
            usleep(UInt32(seconds * 1e6))
            accounts = callers.stop()
            // A deputy may still be delivering queued events.
            let sent = accounts.reduce(0) { $0 + $1.calls }
            let deadline = plain_now() + 10_000_000_000
            while opaque(delivered).value != sent, plain_now() < deadline { usleep(1_000) }
        }
        let sent = accounts.reduce(0) { $0 + $1.calls }
        if delivered.value != sent { fail("8 producers: \(sent) events were sent, \(delivered.value) delivered") }
        close()
        return Crowd(
            unfairness: Double(sent) / 8 / Double(max(1, accounts.map(\.calls).min() ?? 0)),
            worstCPU: Double(accounts.map(\.worstCPU).max() ?? 0) / 1e3, megabytes: megabytes)
    }

    // MARK: The main thread

    private static func mainThread(_ extent: Extent) -> [Figure] {
        let seconds = extent.of(4.0, quick: 0.2)
        let runs = MainThreadCall.allCases.map { call in
            (
                call, Once { call.run(seconds, BehaviorSubjectAtWork()) },
                Once { call.run(seconds, CurrentValueSubjectAtWork()) }
            )
        }
        return runs.flatMap { call, ours, peer in
            func figure(
                _ what: String, _ unit: String, limit: Double, _ value: @escaping (MainThreadRun) -> Double
            ) -> Figure {
                Figure(
                    area: .replaying, name: "BehaviorSubject.2emitters.main.\(call.rawValue).\(what)", unit: unit,
                    limit: limit, ours: { value(ours.value) }, peerName: "OpenCombine CurrentValueSubject",
                    peer: { value(peer.value) })
            }
            return [
                figure("worst", "ms, the longest call in \(seconds) s", limit: 100, \.worst),
                figure("worstCPU", "ms of thread CPU in the call that took most", limit: 2, \.worstCPU),
                figure("memory", "MB by which resident memory grew", limit: 64, \.megabytes),
            ]
        }
    }
}

/// A value that is computed at its first use: one run that several figures share.
final class Once<Value> {
    private let compute: () -> Value
    private(set) lazy var value = compute()

    init(_ compute: @escaping () -> Value) { self.compute = compute }
}
