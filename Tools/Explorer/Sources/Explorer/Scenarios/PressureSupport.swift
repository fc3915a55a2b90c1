// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A source that a thread of the scenario runs. While it is paused, its thread is parked.
final class PausingSource: PausableSource {
    private let state = PauseState()
    private let parker = Parker()
    /// Touched by the source while it runs, and by the thread that starts it: both at once is a race.
    private let body = Cell()
    /// The number of pauses.
    let pauses = Count()

    func resume() {
        requireNoLock()
        if !state.resume() { return }
        body.value += 1
        parker.unpark()
    }

    /// Asks, and waits while the source is paused.
    func ask(_ pauses: (any PausableSource) -> Bool) {
        body.value += 1
        state.willAsk()
        if pauses(self), state.pause() {
            self.pauses.add()
            parker.park(until: .max)
        }
        body.value += 1
    }
}

/// A stage that pauses its sources until it is opened.
final class Valve {
    private let lock = Mutex()
    private var waiting = WaitingSources()
    private var isOpen = false

    func pauses(_ source: any PausableSource) -> Bool {
        lock.withLock {
            if isOpen { return false }
            waiting.add(source)
            return true
        }
    }

    func open() {
        lock.lock()
        isOpen = true
        let taken = waiting.takeAll()
        lock.unlock()
        taken.resume()
    }
}
