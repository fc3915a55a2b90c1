/// The treatment of the element at which an operator ends.
public enum TakeBehavior {
    /// The element that ends the sequence is let through.
    case inclusive
    /// The element that ends the sequence is dropped.
    case exclusive
}

extension ObservableType {
    /// Lets elements through as long as they satisfy a predicate, then completes.
    ///
    /// - Parameters:
    ///   - predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    ///   - behavior: whether the first element that does not satisfy the predicate is let through.
    /// - SeeAlso: [TakeWhile](https://reactivex.io/documentation/operators/takewhile.html)
    @preconcurrency @inlinable
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(source: asObservable(), isInclusive: behavior == .inclusive, predicate: predicate)
    }

    /// Lets elements through until one satisfies a predicate, then completes.
    ///
    /// - Parameters:
    ///   - predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    ///   - behavior: whether the element that satisfies the predicate is let through.
    /// - SeeAlso: [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html)
    @preconcurrency @inlinable
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(source: asObservable(), isInclusive: behavior == .inclusive) { try !predicate($0) }
    }

    /// The former name of `take(while:behavior:)`.
    ///
    /// - Parameter predicate: runs once per element.
    @preconcurrency
    @available(*, deprecated, renamed: "take(while:)")
    public func takeWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate)
    }

    /// The former name of `take(until:behavior:)`.
    ///
    /// - Parameters:
    ///   - behavior: whether the element that satisfies the predicate is let through.
    ///   - predicate: runs once per element.
    @preconcurrency
    @available(*, deprecated, renamed: "take(until:behavior:)")
    public func takeUntil(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(until: predicate, behavior: behavior)
    }
}

@usableFromInline
final class TakeWhile<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let isInclusive: Bool
    @usableFromInline let predicate: (Element) throws -> Bool
    @usableFromInline let sinkType: TakeWhileSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, isInclusive: Bool, predicate: @escaping (Element) throws -> Bool) {
        self.source = source
        self.isInclusive = isInclusive
        self.predicate = predicate
        self.sinkType = TakeWhileSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(isInclusive: isInclusive, predicate: predicate, downstream: downstream))
    }
}

@usableFromInline
final class TakeWhileSink<Element>: LinearSink<Element, Element> {
    private let isInclusive: Bool
    private let predicate: (Element) throws -> Bool

    /// True once the sequence has ended; set before the terminal event is sent.
    @exclusivity(unchecked) private var hasEnded = false

    required init(isInclusive: Bool, predicate: @escaping (Element) throws -> Bool, downstream: Sink<Element>) {
        self.isInclusive = isInclusive
        self.predicate = predicate
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        if hasEnded { return }
        do {
            let goesOn = try predicate(element)
            if isCancelled { return }
            hasEnded = !goesOn
            if goesOn || isInclusive { downstream.next(element) }
            if !goesOn, !isCancelled { downstream.completed() }
        } catch {
            hasEnded = true
            fail(error)
        }
    }

    override func error(_ error: any Swift.Error) {
        if !hasEnded { super.error(error) }
    }

    override func completed() {
        if !hasEnded { super.completed() }
    }

    override func upstreamReleased() { downstream.upstreamReleased() }
}
