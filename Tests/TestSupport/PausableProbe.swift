// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A source of numbers that a test drives by hand, and that asks after each element whether it has to pause.
///
/// `emit` sends also while the source is paused, as the law of advice wants it. For one subscription; one thread at a time calls `emit`
/// and `ask`.
public final class PausableProbe<Element>: Source, PausableSource, @unchecked Sendable {
    private let element: (Int) -> Element
    private let lock = Mutex()
    /// Under the lock.
    private var downstream: Sink<Element>?
    private let resumes = AtomicWord(0)

    /// The number of elements sent.
    public private(set) var count = 0
    /// The last answer.
    public private(set) var isPaused = false
    /// True once the subscription was disposed of.
    public private(set) var isStopped = false

    public init(_ element: @escaping (Int) -> Element) { self.element = element }

    /// The sequence; the probe serves the last subscription.
    public var observable: Observable<Element> {
        SourceObservable { sink in
            self.lock.withLock { self.downstream = sink }
            return self
        }
    }

    public func start() {}

    public func quiesce() {}

    public func stop() {
        let old = lock.withLock {
            isStopped = true
            return downstream.take()
        }
        withExtendedLifetime(old) {}
    }

    public func resume() { _ = resumes.fetchAdd(1) }

    /// The number of calls of `resume`.
    public var resumeCount: Int { Int(resumes.loadAcquiring()) }

    private var sink: Sink<Element>? { lock.withLock { downstream } }

    /// Sends an element, and returns whether the source has to pause.
    @discardableResult
    public func emit() -> Bool {
        emitWithoutAsking()
        return ask()
    }

    /// Sends an element as one that was on its way when the source paused.
    public func emitWithoutAsking() {
        count += 1
        sink?.next(element(count))
    }

    /// Sends elements until the source has to pause, at most `limit`. Returns the number sent.
    @discardableResult
    public func emitUntilPaused(limit: Int) -> Int {
        let before = count
        while count - before < limit, !emit() {}
        return count - before
    }

    @discardableResult
    public func ask() -> Bool {
        isPaused = sink?.pauses(self) ?? false
        return isPaused
    }

    public func complete() { sink?.completed() }

    public func fail(_ error: any Error) { sink?.error(error) }
}

extension PausableProbe where Element == Int {
    public convenience init() { self.init { $0 } }
}
