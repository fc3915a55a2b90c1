// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift

/// Timers that are armed and disposed of long before they are due, as every timeout that is not reached.
extension Row {
    static var timers: [Row] {
        [
            timer("timer.arm.dispose") { scheduler, fired in
                Observable<Int>.timer(.seconds(3_600), scheduler: scheduler)
                    .subscribe(onNext: { _ in fired.value += 1 })
            },
            timer("scheduleRelative.arm.dispose") { scheduler, fired in
                scheduler.scheduleRelative(fired, dueTime: .seconds(3_600)) { fired in
                    fired.value += 1
                    return Disposables.create()
                }
            },
        ]
    }

    /// Returns the number of timers that were armed and did not fire. Both sides end by passing through the queue once, as a timer's
    /// end may need it.
    private static func timer(
        _ name: String, _ arm: @escaping (SerialDispatchQueueScheduler, Sum) -> any Disposable
    ) -> Row {
        let oursQueue = DispatchQueue(label: "ours")
        let peerQueue = DispatchQueue(label: "peer")
        let scheduler = SerialDispatchQueueScheduler(queue: oursQueue, internalSerialQueueName: "ours.serial")
        return Row(
            .timers, name, vs: "DispatchSource timer", bar: 3, mallocLimit: 4, unit: "timer", events: 20_000,
            expected: { $0 },
            ours: { timers in
                let fired = Sum()
                for _ in 0..<timers {
                    arm(scheduler, fired).dispose()
                }
                oursQueue.sync {}
                return timers - fired.value
            },
            peer: { timers in
                let fired = Sum()
                for _ in 0..<timers {
                    let source = DispatchSource.makeTimerSource(queue: peerQueue)
                    source.schedule(deadline: .now() + .seconds(3_600))
                    source.setEventHandler { fired.value += 1 }
                    source.activate()
                    source.cancel()
                }
                peerQueue.sync {}
                return timers - fired.value
            })
    }
}
