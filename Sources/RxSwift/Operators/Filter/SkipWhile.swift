// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Drops elements as long as they satisfy a predicate; from the first that does not, all are let through.
    ///
    /// - Parameter predicate: runs for each element up to the first that is let through, on the thread that emits it; an error it
    ///   throws ends the sequence.
    /// - SeeAlso: [SkipWhile](https://reactivex.io/documentation/operators/skipwhile.html)
    @preconcurrency @inlinable
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        LinearOperator(
            asObservable(), settings: SkipWhileSettings(predicate: predicate), sinkType: SkipWhileSink<Element>.self)
    }

    /// The former name of `skip(while:)`.
    ///
    /// - Parameter predicate: runs for each element up to the first that is let through.
    @preconcurrency
    @available(*, deprecated, renamed: "skip(while:)")
    public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }
}

@usableFromInline
struct SkipWhileSettings<Element> {
    @usableFromInline let predicate: (Element) throws -> Bool

    @inlinable
    init(predicate: @escaping (Element) throws -> Bool) { self.predicate = predicate }
}

@usableFromInline
final class SkipWhileSink<Element>: OperatorSink<Element, Element, SkipWhileSettings<Element>> {
    private let predicate: (Element) throws -> Bool
    private var isSkipping = true

    required init(_ settings: SkipWhileSettings<Element>, downstream: Sink<Element>) {
        self.predicate = settings.predicate
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        if !isSkipping { return downstream.next(element) }
        do {
            if try predicate(element) { return }
            isSkipping = false
            if !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }
}
