// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

extension BlockingObservable {
    /// Subscribes, and waits for the end or for enough elements.
    ///
    /// - Parameters:
    ///   - limit: the number of elements after which the wait is over; nil waits for the end of the sequence.
    ///   - predicate: tells which elements count.
    func collect(
        atMost limit: Int?, where predicate: @escaping (Element) throws -> Bool = { _ in true }
    ) -> MaterializedSequenceResult<Element> {
        let thread = WaitingThread(timeout: timeout)
        let collector = Collector(limit: limit, predicate: predicate, onEnd: { thread.wake() })
        // Weak: Dispatch releases the alarm's closure some time after it is cancelled.
        let alarm = thread.setAlarm { [weak collector] in collector?.end(RxError.timeout) }
        defer { alarm?.cancel() }
        collector.collect(source)
        // As in RxSwift, the timeout counts regardless of the events that have come.
        if let timeout, timeout <= 0 {
            collector.expire()
            return collector.result
        }
        do {
            try thread.wait(for: source) { collector.hasEnded }
        } catch {
            collector.end(error)
        }
        return collector.result
    }
}

/// Collects the elements of one subscription until it is told to end, or has seen enough.
private final class Collector<Element>: @unchecked Sendable {
    private let limit: Int?
    private let predicate: (Element) throws -> Bool
    private let onEnd: @Sendable () -> Void
    /// Known before the source is subscribed to, so that it ends a source which keeps its subscriber, as an endless `retry` does. No stage that other
    /// threads use lies above it: the thread that brings the end tears the source down, and tells behind that.
    private var subscription: SubscriptionDisposable!

    private let lock = Mutex()
    /// The elements, under the lock; complete when `isFinished` is set.
    private var elements: [Element] = []
    /// The error that ended the wait, if any; under the lock.
    private var error: (any Error)?
    /// True if no further element counts; under the lock.
    private var isFinished = false
    /// True if the source is torn down; under the lock. Who waits for the end may look at what the source leaves behind.
    private var isTornDown = false

    init(limit: Int?, predicate: @escaping (Element) throws -> Bool, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.predicate = predicate
        self.onEnd = onEnd
        // Holds this object until the end, which always comes.
        subscription = SubscriptionDisposable(onDisposed: { self.wasTornDown() })
    }

    var hasEnded: Bool { lock.withLock { isFinished && isTornDown } }

    var result: MaterializedSequenceResult<Element> {
        lock.withLock {
            if let error { .failed(elements: elements, error: error) } else { .completed(elements: elements) }
        }
    }

    func collect(_ source: Observable<Element>) {
        source.start(
            ClosureSink(
                onNext: { self.receive($0) }, onError: { self.end($0) }, onCompleted: { self.end(nil) },
                subscription: subscription))
        subscription.wasHandedOut()
    }

    private func receive(_ element: Element) {
        if subscription.isDisposed { return }
        do {
            guard try predicate(element) else { return }
            let count = keep(element)
            if let limit, count >= limit { end(nil) }
        } catch {
            end(error)
        }
    }

    /// Keeps an element, unless the end has come. Returns the number of elements.
    private func keep(_ element: Element) -> Int {
        lock.withLock {
            if !isFinished { elements.append(element) }
            return elements.count
        }
    }

    /// Ends the subscription by a timeout, which counts even after another end.
    func expire() {
        lock.withLock {
            isFinished = true
            error = RxError.timeout
        }
        endSource()
    }

    /// Ends the subscription, and with its teardown the wait. Only the first end counts.
    func end(_ error: (any Error)?) {
        lock.withLock {
            if isFinished { return }
            isFinished = true
            self.error = error
        }
        endSource()
    }

    private func wasTornDown() {
        let isOver = lock.withLock {
            isTornDown = true
            return isFinished
        }
        if isOver { onEnd() }
    }

    private func endSource() { subscription.dispose() }
}
