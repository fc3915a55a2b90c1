// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

// What tells others that the output fills and empties.
extension ConnectionCore {
    // MARK: Pausing the sources of write

    /// The number of bytes accepted that the kernel has not taken; on any thread.
    var queuedBytes: Int { OutputLoad(word: load.loadRelaxed()).bytes }

    /// Tells whether a source of bytes has to pause; called in its context. If so, it is resumed later.
    func isFull(_ source: any PausableSource) -> Bool {
        if !OutputLoad(word: load.loadRelaxed()).mustPause(watermarks) { return false }
        let inspected = inboxLock.withLock { waitingSources.add(source) }
        withExtendedLifetime(inspected) {}
        // The source is in the list before the word says so: the thread that clears the word finds it.
        while true {
            let before = OutputLoad(word: load.loadRelaxed())
            if !before.mustPause(watermarks) { return false }
            if before.isAwaited || load.compareExchange(before.word, before.awaited.word) { return true }
        }
    }

    /// Takes what was sent or dropped off the load, on any thread. `removed` is an addend of `OutputLoad`.
    func reduceLoad(by removed: UInt) {
        let before = load.fetchAdd(0 &- removed)
        if OutputLoad(word: before).isAwaited { resumeSources() }
    }

    /// Resumes the waiting sources if the output has emptied.
    @inline(never)
    private func resumeSources() {
        while true {
            let before = OutputLoad(word: load.loadRelaxed())
            if !before.canResume(watermarks) { return }
            if load.compareExchange(before.word, before.notAwaited.word) { break }
        }
        lastResume.storeRelaxed(UInt(MonotonicClock.now()))
        inboxLock.lock()
        let taken = waitingSources.takeAll()
        inboxLock.unlock()
        taken.resume()
    }

    /// True if a source was resumed within the last second: it may go on on another thread, and not have come to its next element.
    var wasResumedJustNow: Bool {
        let last = UInt64(lastResume.loadRelaxed())
        return last != 0 && MonotonicClock.now() &- last < 1_000_000_000
    }

    // MARK: Observing the output

    /// Adds an object to be told when the output becomes full. It looks whether it is full already.
    func addOutputObserver(_ observer: any OutputObserver) {
        outputObservers.add(observer, ObjectIdentifier(observer))
        isOutputObserved.storeRelaxed(1)
        // A send whose read-modify-write comes behind this one sees the word; the observer sees the load of each other one.
        _ = load.fetchAdd(0)
    }

    func removeOutputObserver(_ observer: any OutputObserver) {
        outputObservers.remove(ObjectIdentifier(observer))
        if outputObservers.isEmpty { isOutputObserved.storeRelaxed(0) }
    }

    /// Tells the observers if an addend has filled the output, from any thread.
    @inline(never)
    func noticeOutput(_ before: OutputLoad, added: UInt) {
        if !before.isFilled(by: added, watermarks) { return }
        // Submitted, not called at once: the caller may be an observer of this connection.
        loop.submit {
            for observer in self.outputObservers.all { observer.outputFilled() }
        } rejected: {
            false
        }
    }
}
