// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A host's loop that keeps bodies until it ends, and runs none.
private final class KeepingHost: HostEventLoop, @unchecked Sendable {
    private let lock = Mutex()
    private var bodies: [@Sendable () -> Void] = []
    private var hasEnded: Bool

    init(hasEnded: Bool) { self.hasEnded = hasEnded }

    var isCurrent: Bool { false }

    func enqueue(_ body: @escaping @Sendable () -> Void) {
        lock.lock()
        if !hasEnded { bodies.append(body) }
        lock.unlock()
    }

    func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void) { enqueue(body) }

    func end() {
        var released: [@Sendable () -> Void] = []
        lock.lock()
        hasEnded = true
        swap(&released, &bodies)
        lock.unlock()
    }
}

/// A queue on such a loop. Its rejections must not overlap, and each has to see what the one before did.
private final class HostQueue {
    let host: KeepingHost
    let queue: ScenarioHostQueue
    private let rejections = Cell()

    init(hasEnded: Bool) {
        host = KeepingHost(hasEnded: hasEnded)
        queue = ScenarioHostQueue(host)
    }

    func submit() {
        queue.submit(
            ScenarioRejectedJob { [rejections] in
                requireNoLock()
                rejections.value += 1
            })
    }

    func requireRejections(_ count: Int) { require(rejections.value == count, "\(rejections.value) of \(count)") }
}

extension Scenario {
    static let hostQueues: [Scenario] = [
        Scenario(
            "host-queue.ended",
            "threads that submit to a loop that has ended reject all jobs, one at a time, and pass that duty on"
        ) {
            let subject = HostQueue(hasEnded: true)
            return Run(
                {
                    subject.submit()
                    subject.submit()
                },
                {
                    subject.submit()
                    subject.submit()
                }
            ) { subject.requireRejections(4) }
        },
        Scenario("host-queue.end", "jobs that are submitted while the loop ends are rejected once each") {
            let subject = HostQueue(hasEnded: false)
            return Run(
                {
                    subject.submit()
                    subject.submit()
                },
                { subject.submit() },
                { subject.host.end() }
            ) {
                subject.host.end()
                subject.requireRejections(3)
            }
        },
    ]
}
