// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A timed stage for whose timer the time does not count in which the source is paused (law L13).
///
/// Stands between the source and the stages below: it asks for itself, and keeps the sources that have to pause. When it is resumed,
/// its timer continues with the time that was left, and then the sources are resumed.
@usableFromInline
class PausableTimedSink<Element>: TimedSink<Element, Element>, PausableSource {
    private final let state = PauseState()
    private final let lock = Mutex()
    /// The sources that were paused; under the lock.
    @exclusivity(unchecked) private final var waiting = WaitingSources()
    /// True from the first pause on. Only the drainer accesses it.
    @exclusivity(unchecked) private final var hasPaused = false

    package override func downstreamPauses(_ source: any PausableSource) -> Bool {
        state.willAsk()
        if downstream.pauses(self) {
            hasPaused = true
            timer.suspend()
            let inspected = lock.withLock { waiting.add(source) }
            withExtendedLifetime(inspected) {}
            if state.pause() { return true }
        }
        // Sources that an earlier answer paused do not wait any more.
        if hasPaused { resumeSources() }
        return false
    }

    @usableFromInline
    package final func resume() {
        if state.resume() { resumeSources() }
    }

    /// A source that waits may belong to other chains, too, so it is resumed when this one has ended.
    package override func serializerDidClose() {
        if hasPaused { resumeSources() }
    }

    private final func resumeSources() {
        // The timer first: a source that is paused again at once suspends it again.
        timer.resume()
        lock.lock()
        let taken = waiting.takeAll()
        lock.unlock()
        taken.resume()
    }
}
