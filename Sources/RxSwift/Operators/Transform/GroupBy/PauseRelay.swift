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

    // Used by the thread that asks.

    /// The number of times that the sources have paused: all that wait together once.
    @exclusivity(unchecked) private(set) var pauseCount: UInt = 0
    /// The number of resumes before the last pause.
    @exclusivity(unchecked) private var resumesBeforePause: UInt = 0

    /// The number of times that the sources went on. Out of date as soon as it is read.
    // Relaxed: an old count only makes a group wait for longer.
    var resumeCount: UInt { resumes.loadRelaxed() }

    /// Whether the sources pause, and the number of times that they went on.
    var current: (isPaused: Bool, resumeCount: UInt) { lock.withLock { (state.isPaused, resumes.loadRelaxed()) } }

    /// Tells whether `source` has to pause, as `pauses` answers it for this object.
    func isPausing(_ source: any PausableSource, _ pauses: (any PausableSource) -> Bool) -> Bool {
        state.willAsk()
        if pauses(self) {
            let inspected = lock.withLock { waiting.add(source) }
            withExtendedLifetime(inspected) {}
            if state.pause() {
                let resumes = resumeCount
                if pauseCount == 0 || resumes != resumesBeforePause { pauseCount += 1 }
                resumesBeforePause = resumes
                return true
            }
        }
        // Sources that an earlier answer paused do not wait any more.
        if pauseCount > 0 { resumeSources() }
        return false
    }

    func resume() { resumeSources { $0.resume() } }

    /// Ends the questions. The sources may belong to other chains, too.
    func end() {
        if pauseCount > 0 { resumeSources() }
    }

    /// Resumes the sources that wait, if there are any.
    private func resumeSources(if isPaused: (borrowing PauseState) -> Bool = { _ in true }) {
        lock.lock()
        guard isPaused(state) else { return lock.unlock() }
        let taken = waiting.takeAll()
        if taken.count > 0 { _ = resumes.fetchAdd(1) }
        lock.unlock()
        taken.resume()
    }
}
