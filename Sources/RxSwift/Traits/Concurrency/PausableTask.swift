// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The part of a task that is a source: waits, without blocking a thread, while the stages below pause it (law L13).
package final class PausableTask: PausableSource, @unchecked Sendable {
    private let state = PauseState()
    private let lock = Mutex()
    // The lock protects the following fields.
    private var continuation: CheckedContinuation<Void, Never>?
    /// True if the task has to continue: it was resumed before it began to wait, or was cancelled.
    private var isResumed = false
    private var isCancelled = false

    /// Only the task accesses it.
    private var pace = QuestionPace()

    package init() {}

    /// Waits while the stages from `downstream` on pause the task; returns at once when the task is cancelled. Called after each element.
    package func waitWhilePaused(by downstream: AnySink) async {
        if !pace.isDue() { return }
        pace.willAsk()
        while true {
            state.willAsk()
            guard downstream.pauses(self) else { return }
            pace.willPause()
            guard state.pause() else { return }
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait($0) }
            } onCancel: {
                proceed(isCancelled: true)
            }
            if lock.withLock({ isCancelled }) { return }
        }
    }

    package func resume() {
        if state.resume() { proceed(isCancelled: false) }
    }

    private func wait(_ continuation: CheckedContinuation<Void, Never>) {
        lock.lock()
        if isResumed || isCancelled {
            isResumed = false
            lock.unlock()
            continuation.resume()
        } else {
            self.continuation = continuation
            lock.unlock()
        }
    }

    private func proceed(isCancelled: Bool) {
        lock.lock()
        if isCancelled { self.isCancelled = true }
        let waiting = continuation.take()
        if waiting == nil { isResumed = true }
        lock.unlock()
        waiting?.resume()
    }
}
