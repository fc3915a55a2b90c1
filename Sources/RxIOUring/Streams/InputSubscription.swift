// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A subscription to the sequence that a user passes to be written.
///
/// It can be disposed of from any thread before `begin` has returned: a source may emit all its elements in there, or never
/// come to an end.
final class InputSubscription<Element>: @unchecked Sendable {
    private let subscription = SubscriptionDisposable()
    private let sources: InputSources

    /// - Parameter sources: the sources that wait for the output, to be resumed when the subscription is disposed of.
    init(pausing sources: InputSources) { self.sources = sources }

    /// Subscribes on the calling thread, unless it was disposed of before. To be called once.
    ///
    /// - Parameter isFull: called in the context of a source that asks: whether the source has to pause. See `PausingSink`.
    func begin(
        _ source: Observable<Element>, onNext: @escaping (Element) -> Void, onError: @escaping (any Error) -> Void,
        onCompleted: @escaping () -> Void, isFull: @escaping (any PausableSource) -> Bool
    ) {
        if subscription.isDisposed { return }
        source.start(
            PausingSink(
                onNext: onNext, onError: onError, onCompleted: onCompleted, isFull: isFull, subscription: subscription))
    }

    func dispose() {
        subscription.dispose()
        sources.resume()
    }
}

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

/// The amounts of queued output at which more is rejected, and the sources of the input are paused, and resumed.
struct OutputWatermarks {
    let limit: Int
    let high: Int
    let low: Int

    /// - Parameters:
    ///   - limit: the number of bytes at which the output rejects or reports what comes.
    ///   - most: the greatest amount at which sources pause.
    init(limit: Int, most: Int = 1 << 20) {
        self.limit = limit
        high = max(1, min(most, limit / 2))
        low = high / 2
    }

    /// True if a source has to pause: from the high watermark on, and then down to the low one.
    func mustPause(_ weight: Int, isAwaited: Bool) -> Bool { isAwaited ? weight > low : weight >= high }

    /// The memory that an item takes besides its bytes, so that many small items are bounded, too.
    static let itemOverhead = 128

    /// The items as which one counts whose subscriber waits for the outcome: it takes that much more memory.
    static let itemsWithWaiter = 4
}
