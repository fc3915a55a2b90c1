// SPDX-License-Identifier: Apache-2.0

#if DEBUG || TRACE_RESOURCES
    /// The most iterators that a `concat`, `catch(sequence:)` or `retry` kept at a time for observables nested in each other.
    ///
    /// Stays at 1 for endless recursion in the last place of a collection. For tests; only in debug builds or with the
    /// compilation condition `TRACE_RESOURCES`.
    public nonisolated(unsafe) var maxTailRecursiveSinkStackSize = 0
#endif

/// An observable that consists of a sequence of sources.
///
/// If such an observable comes up among the sources of one of the same type, its sources take its place, so that recursion
/// in the last place of a collection needs neither stack nor memory.
@usableFromInline
package class SourceSequence<Element>: Observable<Element>, @unchecked Sendable {
    /// Starts another pass over the sources.
    package func makeIterator() -> SourceIterator<Element> { abstractMethod() }

    @inlinable
    package override init() { super.init() }
}

/// A pass over a sequence of sources.
package class SourceIterator<Element> {
    /// The type of the observable whose sources these are.
    fileprivate let operatorType: Observable<Element>.Type

    fileprivate init(operatorType: Observable<Element>.Type) {
        self.operatorType = operatorType
    }

    /// Returns the next source; runs the user's iterator.
    fileprivate func next() -> Observable<Element>? { abstractMethod() }

    /// True if it is known, without asking the user's iterator, that no source is left.
    fileprivate var isKnownToBeAtEnd: Bool { false }
}

/// A pass over the sources that a user's sequence yields.
package final class SourceIteratorOf<Base: IteratorProtocol, Element>: SourceIterator<Element>
where Base.Element == Observable<Element> {
    private var base: Base
    private var remaining: Int?

    /// - Parameter count: how many sources there are, if known: the iterator is not asked for more.
    package init(_ base: Base, count: Int?, operatorType: Observable<Element>.Type) {
        self.base = base
        self.remaining = count
        super.init(operatorType: operatorType)
    }

    fileprivate override func next() -> Observable<Element>? {
        if let remaining { self.remaining = remaining - 1 }
        return base.next()
    }

    fileprivate override var isKnownToBeAtEnd: Bool {
        if let remaining { return remaining <= 0 }
        return false
    }
}

/// The passes under way over observables nested in each other. For one thread at a time.
package final class SourceStack<Element> {
    private var passes: [SourceIterator<Element>]

    package init(_ observable: SourceSequence<Element>) {
        passes = [observable.makeIterator()]
    }

    /// Returns the next source, asked for only now; runs users' iterators.
    ///
    /// - Parameter subscribes: called before anything runs that belongs to subscribing to the next source.
    package func next(willSubscribe subscribes: () -> Void) -> Observable<Element>? {
        while let pass = passes.last {
            guard var source = pass.next() else {
                passes.removeLast()
                continue
            }
            if pass.isKnownToBeAtEnd {
                passes.removeLast()
                subscribes()
                // On the trampoline, as when it is subscribed to.
                Trampoline.unretained._withUnsafeGuaranteedRef { trampoline in
                    trampoline.run { source = source.resolved() }
                }
            }
            guard type(of: source) == pass.operatorType else { return source }
            let nested = unsafeDowncast(source, to: SourceSequence<Element>.self).makeIterator()
            passes.append(nested)
            #if DEBUG || TRACE_RESOURCES
                maxTailRecursiveSinkStackSize = max(maxTailRecursiveSinkStackSize, passes.count)
            #endif
        }
        return nil
    }
}
