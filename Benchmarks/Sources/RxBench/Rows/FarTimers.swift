// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Dispatch
import RxSwift

/// Timers of a dispatch scheduler while many others wait that are due much later.
extension Figure {
    static func farTimers(_ extent: Extent) -> [Figure] {
        let count = extent.of(1_000_000, quick: 50_000)
        let calls = extent.of(100_000, quick: 10_000)
        return [
            Figure(
                area: .timers, name: "scheduleRelative.besideFarTimers.worstCall",
                unit: "µs of thread CPU, the most of \(calls) calls beside \(count) far timers\(leastOfRounds)",
                limit: 50,
                ours: { least { FarTimers(count).worstCall(calls) } }, peerName: "no far timers",
                peer: { least { FarTimers(0).worstCall(calls) } }),
            Figure(
                area: .timers, name: "scheduleRelative.farAndNear.armDispose",
                unit: "µs per far and near timer armed and disposed of, \(count) outstanding", limit: 2,
                ours: { FarTimers(count).farAndNear(calls) }, peerName: "none outstanding",
                peer: { FarTimers(0).farAndNear(calls) }),
        ]
    }
}

/// A serial dispatch scheduler with timers that are due in an hour and later.
private struct FarTimers {
    private let scheduler = SerialDispatchQueueScheduler(qos: .default)
    private let armed: [any Disposable]

    init(_ count: Int) {
        let scheduler = scheduler
        armed = (0..<count).map { place in
            // Due times are spread over ten hours, in no order.
            let due = 3_600_000 + place &* 611_953 % 36_000_000
            return scheduler.scheduleRelative((), dueTime: .milliseconds(due)) { Disposables.create() }
        }
    }

    private func end() {
        for timer in armed { timer.dispose() }
    }

    /// Arms near timers on another thread. Returns microseconds of its processor time in the call that took most.
    func worstCall(_ calls: Int) -> Double {
        let scheduler = scheduler
        let fired = Completion()
        let left = Sum()
        left.value = warmUpCalls + calls
        let worst = onThread {
            var worst: UInt64 = 0
            for call in -warmUpCalls..<calls {
                let start = plain_thread_time()
                _ = scheduler.scheduleRelative(left, dueTime: .milliseconds(5)) { left in
                    left.value -= 1
                    if left.value == 0 { fired.signal() }
                    return Disposables.create()
                }
                if call >= 0 { worst = max(worst, plain_thread_time() - start) }
            }
            return worst
        }
        fired.wait("near timers beside far ones")
        end()
        return Double(worst) / 1e3
    }

    /// Returns microseconds per round of: arm a far timer, arm a near one, dispose of both.
    func farAndNear(_ rounds: Int) -> Double {
        let fired = Sum()
        let start = plain_now()
        for _ in 0..<rounds {
            let far = arm(.seconds(1_800), fired)
            let near = arm(.seconds(1), fired)
            far.dispose()
            near.dispose()
        }
        let end = plain_now()
        if fired.value != 0 { fail("scheduleRelative.farAndNear: a timer that was disposed of fired") }
        self.end()
        return Double(end - start) / 1e3 / Double(rounds)
    }

    private func arm(_ due: RxTimeInterval, _ fired: Sum) -> any Disposable {
        scheduler.scheduleRelative(fired, dueTime: due) { fired in
            fired.value += 1
            return Disposables.create()
        }
    }
}
