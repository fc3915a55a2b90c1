// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// The sources of an output's input that wait until the output has room.
///
/// Any thread may call the methods. It is a pausable source itself, by which an output keeps all sources of one input.
final class InputSources: PausableSource, @unchecked Sendable {
    private let lock = Mutex()
    /// Protected by the lock.
    @exclusivity(unchecked) private var waiting = WaitingSources()
    private let resumes = AtomicWord(0)

    /// The number of calls of `resume`. Out of date as soon as it is read.
    // Relaxed: an old count only lets a source that was resumed look as if it had gone on by itself.
    var resumeCount: UInt { resumes.loadRelaxed() }

    func add(_ source: any PausableSource) {
        let inspected = lock.withLock { waiting.add(source) }
        withExtendedLifetime(inspected) {}
    }

    func resume() {
        lock.lock()
        let taken = waiting.takeAll()
        lock.unlock()
        // Before a source can ask again.
        _ = resumes.fetchAdd(1)
        taken.resume()
    }
}
