// SPDX-License-Identifier: Apache-2.0

/// Tells a stage that its scheduler has ended, on a thread of the runtime.
///
/// The caller is rejecting work, inside a call of the user's. A subscriber that tries again at each error would never let that call return.
final class LossDelivery: DeputyWork {
    private let schedulerName: String
    private let body: (any Swift.Error) -> Void

    private init(_ schedulerName: String, _ body: @escaping (any Swift.Error) -> Void) {
        self.schedulerName = schedulerName
        self.body = body
    }

    /// Calls `body` with the error: soon, or at once if the system refuses a thread.
    static func submit(schedulerName: String, _ body: @escaping (any Swift.Error) -> Void) {
        let delivery = LossDelivery(schedulerName, body)
        if !DeputyPool.shared.submit(delivery) { delivery.drainAsDeputy() }
    }

    func drainAsDeputy() { body(SchedulerEndedError(schedulerName: schedulerName)) }
}
