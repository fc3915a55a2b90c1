// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// What a body of a host's loop does.
protocol HostTask: AnyObject {
    /// Does the work, on the loop.
    func run()

    /// Reacts to the loop's release of the body, which will not run. Called once, on any thread.
    func wasDropped()
}

/// The object that a body of a host's loop holds, and nothing else does: its end tells that the loop has dropped the body.
///
/// A closure that holds one object is that object: so a body costs one allocation.
final class HostBody: @unchecked Sendable {
    /// Nil once the body has run. The thread that set `hasRun` accesses it, or else the deinit.
    @exclusivity(unchecked) private var task: (any HostTask)?
    /// 1 once the loop has called the body; never reset.
    private let hasRun = AtomicWord(0)

    private init(_ task: any HostTask) { self.task = task }

    /// Makes the body of a task, for the caller to enqueue.
    static func of(_ task: any HostTask) -> @Sendable () -> Void {
        let body = HostBody(task)
        return { body.run() }
    }

    private func run() {
        // A loop that breaks its promise calls a body twice.
        if hasRun.exchange(1) != 0 { return }
        let task = task
        // A loop may keep the body for a while.
        self.task = nil
        task?.run()
    }

    deinit { task?.wasDropped() }
}
