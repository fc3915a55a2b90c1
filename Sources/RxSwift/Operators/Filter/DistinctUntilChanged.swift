extension ObservableType where Element: Equatable {
    /// Drops elements equal to the one before.
    ///
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged() -> Observable<Element> {
        DistinctUntilChanged(source: asObservable()) { $0 == $1 }
    }
}

extension ObservableType {
    /// Drops elements whose key equals that of the element before.
    ///
    /// - Parameter keySelector: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        DistinctUntilKeyChanged(source: asObservable(), keySelector: keySelector) { $0 == $1 }
    }

    /// Drops elements that a closure takes to be the same as the one before.
    ///
    /// - Parameter comparer: receives the last element that was let through and the new one, and returns whether to drop the new
    ///   one. Runs on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Observable<Element> {
        DistinctUntilChanged(source: asObservable(), areEqual: comparer)
    }

    /// Drops elements whose key a closure takes to be the same as that of the element before.
    ///
    /// - Parameters:
    ///   - keySelector: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    ///   - comparer: receives the key of the last element that was let through and the new one's, and returns whether to drop the
    ///     new one; an error it throws ends the sequence.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @preconcurrency @inlinable
    public func distinctUntilChanged<K>(
        _ keySelector: @escaping @Sendable (Element) throws -> K,
        comparer: @escaping @Sendable (K, K) throws -> Bool
    ) -> Observable<Element> {
        DistinctUntilKeyChanged(source: asObservable(), keySelector: keySelector, areEqual: comparer)
    }

    /// Drops elements that have the same value at a key path as the one before.
    ///
    /// - Parameter keyPath: read twice per element, of the last element that was let through and of the new one.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Observable<Element> {
        DistinctUntilChanged(source: asObservable()) { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
    }
}

@usableFromInline
final class DistinctUntilChanged<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let areEqual: (Element, Element) throws -> Bool
    @usableFromInline let sinkType: DistinctUntilChangedSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, areEqual: @escaping (Element, Element) throws -> Bool) {
        self.source = source
        self.areEqual = areEqual
        self.sinkType = DistinctUntilChangedSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(areEqual: areEqual, downstream: downstream))
    }
}

@usableFromInline
final class DistinctUntilKeyChanged<Element, Key>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let keySelector: (Element) throws -> Key
    @usableFromInline let areEqual: (Key, Key) throws -> Bool
    @usableFromInline let sinkType: DistinctUntilKeyChangedSink<Element, Key>.Type

    @inlinable
    init(
        source: Observable<Element>, keySelector: @escaping (Element) throws -> Key,
        areEqual: @escaping (Key, Key) throws -> Bool
    ) {
        self.source = source
        self.keySelector = keySelector
        self.areEqual = areEqual
        self.sinkType = DistinctUntilKeyChangedSink<Element, Key>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(keySelector: keySelector, areEqual: areEqual, downstream: downstream))
    }
}

/// The common part of the sinks: a key to compare with, and the comparison.
@usableFromInline
class DistinctSink<Element, Key>: LinearSink<Element, Element> {
    private final let areEqual: (Key, Key) throws -> Bool

    /// The last key, in memory of its own, so that a comparison or a deinit that reenters this sink meets no exclusive access.
    private final let last: UnsafeMutablePointer<Key>
    private final var hasLast = false

    fileprivate init(areEqual: @escaping (Key, Key) throws -> Bool, downstream: Sink<Element>) {
        self.areEqual = areEqual
        self.last = .allocate(capacity: 1)
        super.init(downstream: downstream)
    }

    deinit {
        if hasLast { last.deinitialize(count: 1) }
        last.deallocate()
    }

    /// Compares a key with the last one, and keeps it if it differs.
    fileprivate final func isChange(_ key: Key) throws -> Bool {
        if hasLast {
            if try areEqual(last.pointee, key) { return false }
            last.pointee = key
        } else {
            last.initialize(to: key)
            hasLast = true
        }
        return true
    }
}

@usableFromInline
final class DistinctUntilChangedSink<Element>: DistinctSink<Element, Element> {
    required override init(areEqual: @escaping (Element, Element) throws -> Bool, downstream: Sink<Element>) {
        super.init(areEqual: areEqual, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            if try isChange(element), !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }

    override func upstreamReleased() { downstream.upstreamReleased() }
}

@usableFromInline
final class DistinctUntilKeyChangedSink<Element, Key>: DistinctSink<Element, Key> {
    private let keySelector: (Element) throws -> Key

    required init(
        keySelector: @escaping (Element) throws -> Key, areEqual: @escaping (Key, Key) throws -> Bool,
        downstream: Sink<Element>
    ) {
        self.keySelector = keySelector
        super.init(areEqual: areEqual, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            if try isChange(try keySelector(element)), !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }
}
