// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// Closes a listener, and waits until its connections are closed.
final class QuiesceSource: LoopSource<Never>, @unchecked Sendable {
    private let listener: Listener
    private let limit: RxTimeInterval?
    @exclusivity(unchecked) private var timer: DelayTimer?
    /// The number of connections that others had cut and that were closed at the beginning.
    @exclusivity(unchecked) private var earlierCuts = 0

    init(_ listener: Listener, _ limit: RxTimeInterval?, downstream: Sink<Never>) {
        self.listener = listener
        self.limit = limit
        super.init(loop: listener.scheduler.loop, downstream: downstream)
    }

    override var subject: String { "\(listener.address)" }

    override func begin() {
        earlierCuts = listener.accepted.cuts.closed
        listener.close()
        guard isRunning else { return }
        if let limit {
            timer = DelayTimer(on: loop, after: limit.nanosecondsClamped) { [weak self] in self?.cutConnections() }
        }
        // Submitted, not called at once: this thread may be inside an event of the listener that is about to end.
        loop.submit({ [weak self] in self?.awaitListener() }, rejected: { false })
    }

    override func wasDisposedUnbegun() { listener.close() }

    override func wasRejected() { listener.close() }

    override func end() {
        timer?.cancel(on: loop)
        timer = nil
    }

    private func awaitListener() {
        listener.core.whenClosed { [weak self] in self?.awaitConnections() }
    }

    private func awaitConnections() {
        listener.accepted.whenEmpty { [weak self] in self?.whileRunning { self?.allAreClosed() } }
    }

    private func cutConnections() {
        timer = nil
        listener.accepted.cut()
    }

    private func allAreClosed() {
        // Another wait for the same connections may have had the shorter limit.
        let cut = listener.accepted.cuts.count - earlierCuts
        if cut == 0 { return complete() }
        fail(with: IOError(code: ETIMEDOUT, operation: "quiesce", subject: "\(subject) (\(cut) connections were cut)"))
    }
}
