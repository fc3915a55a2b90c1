// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore
import RxIOUring
import RxSwift

/// Jobs that are submitted to an event loop, from another thread or from the loop itself. A call lasts until the last job has run.
extension Row {
    #if os(Linux)
        static var loop: [Row] {
            var rows = [
                Row(
                    .loop, "schedule.fromOutside", vs: "NIO execute", bar: 3, mallocLimit: nil, events: 100_000,
                    expected: triangle, ours: scheduleFromOutside, peer: executeFromOutside),
                Row(
                    .loop, "schedule.fromOutside", vs: "DispatchQueue.async", bar: 3, mallocLimit: nil,
                    events: 100_000, expected: triangle, ours: scheduleFromOutside, peer: asyncFromOutside),
                Row(
                    .loop, "schedule.fromWithin", vs: "NIO execute in loop", bar: 2, mallocLimit: nil,
                    events: 100_000, expected: triangle, ours: scheduleFromWithin, peer: executeFromWithin),
            ]
            rows += [
                Row(
                    .loop, "reusableJob.fromOutside", vs: "NIO execute", bar: 5, events: 100_000,
                    expected: ReusableJobs.sum, expectedOfPeer: triangle, ours: postFromOutside,
                    peer: executeFromOutside),
                Row(
                    .loop, "reusableJob.fromOutside", vs: "DispatchQueue.async", bar: 5, events: 100_000,
                    expected: ReusableJobs.sum, expectedOfPeer: triangle, ours: postFromOutside,
                    peer: asyncFromOutside),
                Row(
                    .loop, "reusableJob.fromWithin", vs: "NIO execute in loop", bar: 6, events: 100_000,
                    expected: ReusableJobs.sum, expectedOfPeer: triangle, ours: submitLocal,
                    peer: executeFromWithin),
            ]
            return rows + [
                Row(
                    .loop, "observeOn.loop.throughput", vs: "DispatchQueue.async per event", bar: 6, events: 100_000,
                    expected: triangle, ours: hop, peer: asyncFromOutside),
                // There is a body for each batch.
                Row(
                    .loop, "observeOn.host.throughput", vs: "NIO execute per event", bar: 3, mallocLimit: 0.02,
                    events: 100_000, expected: triangle, ours: hopToHost, peer: executeFromOutside),
                hostPingPong,
            ]
        }

        private static func scheduleFromOutside(_ events: Int) -> Int {
            let sum = Sum()
            let done = Completion()
            let scheduler = Loops.ours
            for value in 0..<events {
                _ = scheduler.schedule(value) { value in
                    sum.value &+= value
                    return Disposables.create()
                }
            }
            _ = scheduler.schedule(()) {
                done.signal()
                return Disposables.create()
            }
            done.wait("schedule")
            return sum.value
        }

        private static func scheduleFromWithin(_ events: Int) -> Int {
            let sum = Sum()
            let done = Completion()
            _ = Loops.ours.schedule(Loops.ours) { scheduler in
                for value in 0..<events {
                    _ = scheduler.schedule(value) { value in
                        sum.value &+= value
                        return Disposables.create()
                    }
                }
                return scheduler.schedule(()) {
                    done.signal()
                    return Disposables.create()
                }
            }
            done.wait("schedule in loop")
            return sum.value
        }

        private static func executeFromOutside(_ events: Int) -> Int {
            let sum = Sum()
            let done = Completion()
            let loop = Loops.nio
            for value in 0..<events {
                loop.execute { sum.value &+= value }
            }
            loop.execute { done.signal() }
            done.wait("NIO execute")
            return sum.value
        }

        private static func executeFromWithin(_ events: Int) -> Int {
            let sum = Sum()
            let done = Completion()
            let loop = Loops.nio
            loop.execute {
                for value in 0..<events {
                    loop.execute { sum.value &+= value }
                }
                loop.execute { done.signal() }
            }
            done.wait("NIO execute in loop")
            return sum.value
        }

        private static func asyncFromOutside(_ events: Int) -> Int {
            let sum = Sum()
            let done = Completion()
            let queue = DispatchQueue(label: "peer")
            for value in 0..<events {
                queue.async { sum.value &+= value }
            }
            queue.async { done.signal() }
            done.wait("DispatchQueue.async")
            return sum.value
        }

        private static func hop(_ events: Int) -> Int { hop(events, to: Loops.ours) }

        private static func hopToHost(_ events: Int) -> Int { hop(events, to: Loops.host) }

        private static func hop(_ events: Int, to scheduler: any SchedulerType) -> Int {
            let sum = Sum()
            let done = Completion()
            let subject = PublishSubject<Int>()
            let subscription =
                subject
                .observe(on: scheduler)
                .subscribe(onNext: { sum.value &+= $0 }, onCompleted: { done.signal() })
            for value in 0..<events {
                subject.onNext(value)
            }
            subject.onCompleted()
            done.wait("observe(on: loop)")
            subscription.dispose()
            return sum.value
        }

        private static func postFromOutside(_ events: Int) -> Int { ReusableJobs.shared.postFromOutside(events) }

        private static func submitLocal(_ events: Int) -> Int { ReusableJobs.shared.submitLocal(events) }
    #else
        static var loop: [Row] { [] }
    #endif
}
