// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// Lets through the elements that satisfy a predicate.
    ///
    /// - Parameter predicate: runs once per element, on the thread that emits it.
    /// - SeeAlso: [Filter](https://reactivex.io/documentation/operators/filter.html)
    @preconcurrency @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(raw: asObservable().filter(predicate))
    }
}

// MARK: Distinct elements

extension InfallibleType where Element: Equatable {
    /// Drops elements equal to the one before.
    ///
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged() -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// Drops elements whose key equals that of the element before.
    ///
    /// - Parameter keySelector: runs once per element, on the thread that emits it; an error it throws ends the sequence,
    ///   see `Infallible`.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(keySelector))
    }

    /// Drops elements which a closure takes to be the same as the one before.
    ///
    /// - Parameter comparer: receives the last element that was let through and the new one, and returns whether to drop the
    ///   new one. Runs on the thread that emits it; an error it throws ends the sequence, see `Infallible`.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(comparer))
    }

    /// Drops elements whose key a closure takes to be the same as that of the element before.
    ///
    /// - Parameters:
    ///   - keySelector: runs once per element, on the thread that emits it; an error it throws ends the sequence, see
    ///     `Infallible`.
    ///   - comparer: receives the key of the last element that was let through and the new one's, and returns whether to drop
    ///     the new one; an error it throws ends the sequence, see `Infallible`.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) throws -> K,
        comparer: @escaping @Sendable (K, K) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Drops elements that have the same value at a key path as the one before.
    ///
    /// - Parameter keyPath: read twice per element, of the last element that was let through and of the new one.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().distinctUntilChanged(at: keyPath))
    }
}

// MARK: A part of the sequence

extension InfallibleType {
    /// Lets through a number of elements from the start, and completes after the last of them.
    ///
    /// - Parameter count: how many elements, not negative. With 0, the sequence completes at once, and the source is not subscribed to.
    /// - SeeAlso: [Take](https://reactivex.io/documentation/operators/take.html)
    @inlinable
    public func take(_ count: Int) -> Infallible<Element> {
        Infallible(raw: asObservable().take(count))
    }

    /// Passes elements on until another infallible sends one, and completes then.
    ///
    /// Subscribes to the other first. It has no effect when it completes without an element.
    /// - Parameter other: its first element ends the sequence.
    /// - SeeAlso: [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html)
    @inlinable
    public func take(until other: some InfallibleType) -> Infallible<Element> {
        Infallible(raw: asObservable().take(until: other.asObservable()))
    }

    /// Passes elements on until another sequence sends one, and completes then.
    ///
    /// Subscribes to the other sequence first. It has no effect when it completes without an element; its error ends this
    /// sequence, see `Infallible`.
    /// - Parameter other: its first element ends the sequence.
    /// - SeeAlso: [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html)
    @inlinable
    public func take(until other: some ObservableType) -> Infallible<Element> {
        Infallible(raw: asObservable().take(until: other))
    }

    /// Lets elements through up to the first that satisfies a predicate, then completes.
    ///
    /// - Parameters:
    ///   - predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence, see
    ///     `Infallible`.
    ///   - behavior: whether the first element that satisfies the predicate is let through.
    /// - SeeAlso: [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html)
    @preconcurrency @inlinable
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().take(until: predicate, behavior: behavior))
    }

    /// Lets elements through as long as they satisfy a predicate, then completes.
    ///
    /// - Parameters:
    ///   - predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence, see
    ///     `Infallible`.
    ///   - behavior: whether the first element that does not satisfy the predicate is let through.
    /// - SeeAlso: [TakeWhile](https://reactivex.io/documentation/operators/takewhile.html)
    @preconcurrency @inlinable
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().take(while: predicate, behavior: behavior))
    }

    /// Drops elements as long as they satisfy a predicate; from the first that does not, all are let through.
    ///
    /// - Parameter predicate: runs for each element up to the first that is let through, on the thread that emits it; an error
    ///   it throws ends the sequence, see `Infallible`.
    /// - SeeAlso: [SkipWhile](https://reactivex.io/documentation/operators/skipwhile.html)
    @preconcurrency @inlinable
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<Element> {
        Infallible(raw: asObservable().skip(while: predicate))
    }

    /// Drops elements until another sequence sends one, and passes them on from then.
    ///
    /// Subscribes to this sequence first. If it completes before the other has sent an element, nothing is sent at all, not even
    /// `completed`. An error of the other ends this sequence, see `Infallible`.
    /// - Parameter other: its first element opens the way.
    /// - SeeAlso: [SkipUntil](https://reactivex.io/documentation/operators/skipuntil.html)
    @inlinable
    public func skip(until other: some ObservableType) -> Infallible<Element> {
        Infallible(raw: asObservable().skip(until: other))
    }
}
