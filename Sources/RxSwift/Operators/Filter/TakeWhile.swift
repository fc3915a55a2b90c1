// SPDX-License-Identifier: Apache-2.0

/// The treatment of the element at which an operator ends.
public enum TakeBehavior: Sendable {
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
        LinearOperator(
            asObservable(), settings: TakeWhileSettings(isInclusive: behavior == .inclusive, predicate: predicate),
            sinkType: TakeWhileSink<Element>.self)
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
        LinearOperator(
            asObservable(),
            settings: TakeWhileSettings(isInclusive: behavior == .inclusive, predicate: { try !predicate($0) }),
            sinkType: TakeWhileSink<Element>.self)
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
struct TakeWhileSettings<Element> {
    @usableFromInline let isInclusive: Bool
    @usableFromInline let predicate: (Element) throws -> Bool

    @inlinable
    init(isInclusive: Bool, predicate: @escaping (Element) throws -> Bool) {
        self.isInclusive = isInclusive
        self.predicate = predicate
    }
}

@usableFromInline
final class TakeWhileSink<Element>: OperatorSink<Element, Element, TakeWhileSettings<Element>> {
    private let isInclusive: Bool
    private let predicate: (Element) throws -> Bool

    /// True once the sequence has ended; set before the terminal event is sent.
    @exclusivity(unchecked) private var hasEnded = false

    required init(_ settings: TakeWhileSettings<Element>, downstream: Sink<Element>) {
        self.isInclusive = settings.isInclusive
        self.predicate = settings.predicate
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { self }

    package override var wantsNoMore: Bool { hasEnded || downstream.endingStage?.wantsNoMore ?? false }

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
}
