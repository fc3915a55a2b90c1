// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The loop of a scheduler's host, as the parts of the scheduler share it.
final class HostLoop: Sendable {
    let loop: any HostEventLoop
    /// The scheduler's name, for reports.
    let name: String

    /// 1 once the loop has dropped a body; never reset.
    private let ended = AtomicWord(0)

    init(_ loop: any HostEventLoop, name: String) {
        self.loop = loop
        self.name = name
    }

    /// True if the loop takes no more bodies. A thread that reads false may find out by its own body, which is dropped then.
    // Acquiring: paired with `end`.
    var hasEnded: Bool { ended.loadAcquiring() != 0 }

    /// Notes that the loop has dropped a body.
    func end() { ended.storeReleasing(1) }

    /// Rejects a job, which is in no queue, if the loop has ended. Returns false if the caller has to enqueue the job.
    func rejects(_ job: Job) -> Bool {
        guard hasEnded, let isLost = job.rejectBySubmitter() else { return false }
        if isLost { report(1) }
        return true
    }

    /// Reports work that was lost.
    func report(_ count: Int) {
        if count > 0 { Hooks.workRejectedHandler(name, count) }
    }
}
