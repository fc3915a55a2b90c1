// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Asks whether to pause in place of the sources, and keeps those that have to, so that a stage knows when they go on.
///
/// Elements that come do not tell: they may have been on their way, in a `delay`, when their source paused.
final class PauseRelay: PausableSource, @unchecked Sendable {
    private let state = PauseState()
    private let resumes = AtomicWord(0)
    private let lock = Mutex()
    /// Under the lock.
    @exclusivity(unchecked) private var waiting = WaitingSources()
    /// True from the first pause on. Used by the thread that asks.
    @exclusivity(unchecked) private var hasPaused = false

    /// True while the sources pause. Out of date as soon as it is read.
    var isPaused: Bool { state.isPaused }

    /// The number of times that the sources went on, or more. Read after `isPaused`, it counts what ended the pause.
    // Acquiring: paired with the read-modify-write in `resume`.
    var resumeCount: UInt { resumes.loadAcquiring() }

    /// Tells whether `source` has to pause, as `pauses` answers it for this object.
    func isPausing(_ source: any PausableSource, _ pauses: (any PausableSource) -> Bool) -> Bool {
        state.willAsk()
        if pauses(self) {
            hasPaused = true
            let inspected = lock.withLock { waiting.add(source) }
            withExtendedLifetime(inspected) {}
            if state.pause() { return true }
        }
        // Sources that an earlier answer paused do not wait any more.
        if hasPaused { resumeSources() }
        return false
    }

    func resume() {
        // Before the state, which says then that nothing pauses.
        _ = resumes.fetchAdd(1)
        if state.resume() { resumeSources() }
    }

    /// Ends the questions. The sources may belong to other chains, too.
    func end() {
        if hasPaused { resumeSources() }
    }

    private func resumeSources() {
        _ = resumes.fetchAdd(1)
        lock.withLock { waiting.takeAll() }.resume()
    }
}
