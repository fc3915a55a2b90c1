// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element: Equatable {
    /// Drops elements equal to the one before.
    ///
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged() -> Observable<Element> {
        LinearOperator(
            asObservable(), settings: DistinctSettings { $0 == $1 }, sinkType: DistinctUntilChangedSink<Element>.self)
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
        LinearOperator(
            asObservable(), settings: DistinctKeySettings(keySelector: keySelector) { $0 == $1 },
            sinkType: DistinctUntilKeyChangedSink<Element, Key>.self)
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
        LinearOperator(
            asObservable(), settings: DistinctSettings(areEqual: comparer),
            sinkType: DistinctUntilChangedSink<Element>.self)
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
        LinearOperator(
            asObservable(), settings: DistinctKeySettings(keySelector: keySelector, areEqual: comparer),
            sinkType: DistinctUntilKeyChangedSink<Element, K>.self)
    }

    /// Drops elements that have the same value at a key path as the one before.
    ///
    /// - Parameter keyPath: read twice per element, of the last element that was let through and of the new one.
    /// - SeeAlso: [Distinct](https://reactivex.io/documentation/operators/distinct.html)
    @inlinable
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Observable<Element> {
        LinearOperator(
            asObservable(),
            settings: DistinctSettings { $0[keyPath: keyPath] == $1[keyPath: keyPath] },
            sinkType: DistinctUntilChangedSink<Element>.self)
    }
}

@usableFromInline
struct DistinctSettings<Element> {
    @usableFromInline let areEqual: (Element, Element) throws -> Bool

    @inlinable
    init(areEqual: @escaping (Element, Element) throws -> Bool) { self.areEqual = areEqual }
}

@usableFromInline
struct DistinctKeySettings<Element, Key> {
    @usableFromInline let keySelector: (Element) throws -> Key
    @usableFromInline let areEqual: (Key, Key) throws -> Bool

    @inlinable
    init(keySelector: @escaping (Element) throws -> Key, areEqual: @escaping (Key, Key) throws -> Bool) {
        self.keySelector = keySelector
        self.areEqual = areEqual
    }
}

/// The common part of the sinks: a key to compare with, and the comparison.
@usableFromInline
class DistinctSink<Element, Key, Settings>: OperatorSink<Element, Element, Settings> {
    private final let areEqual: (Key, Key) throws -> Bool

    /// The last key, in memory of its own, so that a comparison or a deinit that reenters this sink meets no exclusive access.
    private final let last: UnsafeMutablePointer<Key>
    private final var hasLast = false

    fileprivate init(areEqual: @escaping (Key, Key) throws -> Bool, downstream: Sink<Element>) {
        self.areEqual = areEqual
        self.last = .allocate(capacity: 1)
        super.init(downstream: downstream)
    }

    required init(_ settings: Settings, downstream: Sink<Element>) { abstractMethod() }

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
final class DistinctUntilChangedSink<Element>: DistinctSink<Element, Element, DistinctSettings<Element>> {
    required init(_ settings: DistinctSettings<Element>, downstream: Sink<Element>) {
        super.init(areEqual: settings.areEqual, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            if try isChange(element), !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }
}

@usableFromInline
final class DistinctUntilKeyChangedSink<Element, Key>: DistinctSink<
    Element, Key, DistinctKeySettings<Element, Key>
>
{
    private let keySelector: (Element) throws -> Key

    required init(_ settings: DistinctKeySettings<Element, Key>, downstream: Sink<Element>) {
        self.keySelector = settings.keySelector
        super.init(areEqual: settings.areEqual, downstream: downstream)
    }

    override func next(_ element: Element) {
        do {
            if try isChange(try keySelector(element)), !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }
}
