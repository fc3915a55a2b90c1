/// A sequence of which the type says how many elements it has: `Single`, `Maybe` or `Completable`.
public struct PrimitiveSequence<Trait, Element> {
    @usableFromInline package let source: Observable<Element>

    /// - Parameter raw: a sequence that keeps what the trait promises.
    @inlinable
    package init(raw: Observable<Element>) {
        source = raw
    }
}

/// A type that can be turned into a `PrimitiveSequence`.
public protocol PrimitiveSequenceType {
    /// How many elements there are: `SingleTrait`, `MaybeTrait` or `CompletableTrait`.
    associatedtype Trait

    /// The type of the element.
    associatedtype Element

    /// The sequence.
    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// The sequence itself.
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

/// What a `Single` sends.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

/// Marks a sequence of at most one element.
public enum MaybeTrait {}

/// A sequence of one element, or none, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// What a `Maybe` sends.
@frozen
public enum MaybeEvent<Element> {
    /// The element. Nothing follows.
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

/// What a `Completable` sends.
@frozen
public enum CompletableEvent {
    /// The sequence ended with an error.
    case error(any Swift.Error)
    /// The sequence ended.
    case completed
}
