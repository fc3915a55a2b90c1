// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Combines each element with the latest element of a second source.
    ///
    /// Elements that come before the second source has sent one are dropped. Subscribes to the second source first, and continues
    /// with its last element when it completes.
    /// - Parameters:
    ///   - second: the source whose latest element is kept.
    ///   - resultSelector: runs once per element, never two runs at a time; an error it throws ends the sequence.
    /// - Returns: the results, in order; ends with this sequence, or with an error of the second source.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency @inlinable
    public func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
        _ second: Source,
        resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
    ) -> Observable<ResultType> {
        WithLatestFrom(first: asObservable(), second: second.asObservable(), resultSelector: resultSelector)
    }

    /// Sends the latest element of a second source at each element of this one.
    ///
    /// Elements that come before the second source has sent one have no effect. Subscribes to the second source first, and
    /// continues with its last element when it completes.
    /// - Parameter second: the source whose latest element is kept.
    /// - Returns: a sequence that ends with this sequence, or with an error of the second source.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    public func withLatestFrom<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Observable<Source.Element> {
        WithLatestFrom(first: asObservable(), second: second.asObservable(), resultSelector: { $1 })
    }
}

@usableFromInline
final class WithLatestFrom<First, Second, Result>: Observable<Result>, @unchecked Sendable {
    @usableFromInline let first: Observable<First>
    @usableFromInline let second: Observable<Second>
    @usableFromInline let resultSelector: (First, Second) throws -> Result
    @usableFromInline let coordinatorType: WithLatestFromCoordinator<First, Second, Result>.Type

    @inlinable
    init(
        first: Observable<First>, second: Observable<Second>, resultSelector: @escaping (First, Second) throws -> Result
    ) {
        self.first = first
        self.second = second
        self.resultSelector = resultSelector
        self.coordinatorType = WithLatestFromCoordinator<First, Second, Result>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Result>) {
        let coordinator = coordinatorType.init(resultSelector: resultSelector, downstream: downstream)
        downstream.link(coordinator)
        second.subscribeCore(SourceSink(slot: coordinator.second, coordinator: coordinator))
        first.subscribeCore(SourceSink(slot: coordinator.first, coordinator: coordinator))
        coordinator.didSubscribe()
    }
}

@usableFromInline
final class WithLatestFromCoordinator<First, Second, Result>: Coordinator {
    let first = WithLatestFromSlot<First, Second, Result>()
    let second = LatestSlot<Second>()
    private let resultSelector: (First, Second) throws -> Result
    private let downstream: Sink<Result>

    package override var operatorName: StaticString { "withLatestFrom" }

    required init(resultSelector: @escaping (First, Second) throws -> Result, downstream: Sink<Result>) {
        self.resultSelector = resultSelector
        self.downstream = downstream
        // The slots stand in the order in which their sources are subscribed to.
        super.init(slots: [second, first], downstream: downstream)
    }

    override func completed(_ slot: SourceSlot) {
        if slot === first { complete() }
    }

    /// Combines an element with the latest one of the second source. Only the drainer calls this.
    fileprivate func combine(_ element: First) {
        if second.isEmpty { return }
        do {
            let result = try resultSelector(element, second.latest)
            if !isCancelled { downstream.next(result) }
        } catch {
            fail(error)
        }
    }
}

final class WithLatestFromSlot<First, Second, Result>: ElementSlot<First> {
    override func accept(_ element: First, for coordinator: Coordinator) {
        unsafeDowncast(coordinator, to: WithLatestFromCoordinator<First, Second, Result>.self).combine(element)
    }
}
