// SPDX-License-Identifier: Apache-2.0

/// A sequence whose type tells how many elements it has: `Single`, `Maybe` or `Completable`.
public struct PrimitiveSequence<Trait, Element>: @unchecked Sendable {
    @usableFromInline package let source: Observable<Element>

    /// - Parameter raw: a sequence that keeps the promise of the trait.
    @inlinable
    package init(raw: Observable<Element>) {
        source = raw
    }
}

/// A type that can be turned into a `PrimitiveSequence`.
public protocol PrimitiveSequenceType {
    /// The trait, which tells how many elements there are: `SingleTrait`, `MaybeTrait` or `CompletableTrait`.
    associatedtype Trait

    /// The type of the sequence's element.
    associatedtype Element

    /// The value as a primitive sequence.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// The same sequence, which needs no conversion.
    @inlinable
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    /// The sequence as an observable without the trait.
    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// Marks a sequence of one element, or an error.
public enum SingleTrait {}

/// A sequence of one element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// The one event of a `Single`: its element, or an error.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

/// Marks a sequence of at most one element.
public enum MaybeTrait {}

/// A sequence of one element, or none, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// The one event of a `Maybe`: its element, an error, or its end without an element.
@frozen
public enum MaybeEvent<Element> {
    /// The element, after which nothing follows.
    case success(Element)
    /// The sequence ended with an error.
    case error(any Swift.Error)
    /// The sequence ended without an element.
    case completed
}

/// Marks a sequence without elements.
public enum CompletableTrait {}

/// A sequence without elements, which completes or ends with an error.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The one event of a `Completable`: an error, or its end.
@frozen
public enum CompletableEvent {
    /// The sequence ended with an error.
    case error(any Swift.Error)
    /// The sequence ended without an error.
    case completed
}
