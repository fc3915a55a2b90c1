// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Accumulates the elements, and sends each intermediate result.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from. It is not sent itself.
    ///   - accumulator: runs once per element, on the thread that emits it, and returns the next value; an error it throws ends
    ///     the sequence.
    /// - SeeAlso: [Scan](https://reactivex.io/documentation/operators/scan.html)
    @preconcurrency @inlinable
    public func scan<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
    ) -> Observable<A> {
        Scan(source: asObservable(), seed: seed) { accumulated, element in
            accumulated = try accumulator(accumulated, element)
        }
    }

    /// Accumulates the elements in place, and sends each intermediate result.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from. It is not sent itself.
    ///   - accumulator: runs once per element, on the thread that emits it, and changes the value; an error it throws ends
    ///     the sequence.
    /// - SeeAlso: [Scan](https://reactivex.io/documentation/operators/scan.html)
    @preconcurrency @inlinable
    public func scan<A>(
        into seed: A, accumulator: @escaping @Sendable (inout A, Element) throws -> Void
    ) -> Observable<A> {
        Scan(source: asObservable(), seed: seed, accumulate: accumulator)
    }
}

@usableFromInline
final class Scan<Element, Accumulated>: Observable<Accumulated>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let seed: Accumulated
    @usableFromInline let accumulate: (inout Accumulated, Element) throws -> Void
    @usableFromInline let sinkType: ScanSink<Element, Accumulated>.Type

    @inlinable
    init(
        source: Observable<Element>, seed: Accumulated,
        accumulate: @escaping (inout Accumulated, Element) throws -> Void
    ) {
        self.source = source
        self.seed = seed
        self.accumulate = accumulate
        self.sinkType = ScanSink<Element, Accumulated>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Accumulated>) {
        source.subscribeCore(sinkType.init(seed: seed, accumulate: accumulate, downstream: downstream))
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }
}

@usableFromInline
final class ScanSink<Element, Accumulated>: AccumulatingSink<Element, Accumulated, Accumulated> {
    required override init(
        seed: Accumulated, accumulate: @escaping (inout Accumulated, Element) throws -> Void,
        downstream: Sink<Accumulated>
    ) {
        super.init(seed: seed, accumulate: accumulate, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            try accumulate(&accumulated.pointee, element)
            if !isCancelled { downstream.next(accumulated.pointee) }
        } catch {
            fail(error)
        }
    }
}
