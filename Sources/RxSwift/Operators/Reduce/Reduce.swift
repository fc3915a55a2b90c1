// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Accumulates the elements, and sends the result when the sequence completes.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from.
    ///   - accumulator: runs once per element, on the thread that emits it, and returns the next value; an error it throws ends
    ///     the sequence.
    ///   - mapResult: turns the last value into the result; an error it throws ends the sequence.
    /// - SeeAlso: [Reduce](https://reactivex.io/documentation/operators/reduce.html)
    @preconcurrency @inlinable
    public func reduce<A, Result>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A,
        mapResult: @escaping @Sendable (A) throws -> Result
    ) -> Observable<Result> {
        Reduce(
            source: asObservable(), seed: seed,
            accumulate: { accumulated, element in accumulated = try accumulator(accumulated, element) },
            mapResult: mapResult)
    }

    /// Accumulates the elements, and sends the result when the sequence completes.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from.
    ///   - accumulator: runs once per element, on the thread that emits it, and returns the next value; an error it throws ends
    ///     the sequence.
    /// - SeeAlso: [Reduce](https://reactivex.io/documentation/operators/reduce.html)
    @preconcurrency @inlinable
    public func reduce<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
    ) -> Observable<A> {
        reduce(seed, accumulator: accumulator, mapResult: { $0 })
    }
}

@usableFromInline
final class Reduce<Element, Accumulated, Result>: Observable<Result>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let seed: Accumulated
    @usableFromInline let accumulate: (inout Accumulated, Element) throws -> Void
    @usableFromInline let mapResult: (Accumulated) throws -> Result
    @usableFromInline let sinkType: ReduceSink<Element, Accumulated, Result>.Type

    @inlinable
    init(
        source: Observable<Element>, seed: Accumulated,
        accumulate: @escaping (inout Accumulated, Element) throws -> Void,
        mapResult: @escaping (Accumulated) throws -> Result
    ) {
        self.source = source
        self.seed = seed
        self.accumulate = accumulate
        self.mapResult = mapResult
        self.sinkType = ReduceSink<Element, Accumulated, Result>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Result>) {
        source.subscribeCore(
            sinkType.init(seed: seed, accumulate: accumulate, mapResult: mapResult, downstream: downstream))
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }
}

@usableFromInline
final class ReduceSink<Element, Accumulated, Result>: AccumulatingSink<Element, Accumulated, Result> {
    private let mapResult: (Accumulated) throws -> Result

    required init(
        seed: Accumulated, accumulate: @escaping (inout Accumulated, Element) throws -> Void,
        mapResult: @escaping (Accumulated) throws -> Result, downstream: Sink<Result>
    ) {
        self.mapResult = mapResult
        super.init(seed: seed, accumulate: accumulate, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            try accumulate(&accumulated.pointee, element)
        } catch {
            fail(error)
        }
    }

    override func completed() {
        if isCancelled { return }
        do {
            let result = try mapResult(accumulated.pointee)
            if isCancelled { return }
            downstream.next(result)
            if !isCancelled { downstream.completed() }
        } catch {
            fail(error)
        }
    }
}
