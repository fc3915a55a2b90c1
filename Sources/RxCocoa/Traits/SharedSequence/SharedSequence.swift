// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A sequence for user interfaces, which does not fail; `Driver` and `Signal` are the two that are used.
///
/// It delivers on the scheduler of its strategy, and its subscribers share one subscription of the source as the strategy says.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element>: SharedSequenceConvertibleType,
    @unchecked Sendable
{
    @usableFromInline let source: Observable<Element>
    /// True if the sequence was made under `SharingScheduler.mock`, and so delivers elsewhere than on the main queue.
    @usableFromInline let isMocked: Bool

    /// A sequence of which each subscription is shared.
    ///
    /// - Parameter source: never fails, and delivers on the strategy's scheduler.
    @inlinable
    init(_ source: Observable<Element>) {
        self.source = SharingStrategy.share(source)
        isMocked = SharingScheduler.isMocked
    }

    /// A sequence made by an operator from the events of another.
    ///
    /// - Parameters:
    ///   - source: subscribes to `upstream` at most once per subscription.
    ///   - upstream: the sequence that the operator was called on, which `source` holds; nil if that was a value of another type.
    @inlinable
    init<Upstream>(_ source: Observable<Element>, derivedFrom upstream: SharedSequence<SharingStrategy, Upstream>?) {
        self.source = SharingStrategy.share(source)
        isMocked = upstream?.isMocked ?? SharingScheduler.isMocked
        if let upstream { self.source.shares(derivedFrom: upstream.source) }
    }

    /// A sequence that is not shared, because its source is, or because sharing it would make no difference.
    @inlinable
    package init(raw: Observable<Element>) {
        self.source = raw
        isMocked = SharingScheduler.isMocked
    }

    /// The same sequence, which needs no conversion.
    @inlinable
    public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

/// The way in which the subscribers of a `SharedSequence` share, and the scheduler on which they are called.
public protocol SharingStrategyProtocol {
    /// The scheduler on which all events are delivered.
    static var scheduler: any SchedulerType { get }

    /// Makes the subscribers of a sequence share one subscription of it.
    ///
    /// - Parameter source: the sequence to share.
    /// - Returns: the shared sequence; what a new subscriber gets of earlier elements is up to the strategy.
    static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// A type that can be turned into a `SharedSequence`.
public protocol SharedSequenceConvertibleType: ObservableConvertibleType {
    /// The way in which subscribers share.
    associatedtype SharingStrategy: SharingStrategyProtocol

    /// Returns the value as a shared sequence.
    func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
    /// The sequence as an observable without the promises.
    @inlinable
    public func asObservable() -> Observable<Element> { asSharedSequence().source }

    /// This value if it is a shared sequence, nil if it is of another type.
    ///
    /// Such a type may make a new sequence at each conversion, and have an `asObservable()` of its own that leads past them.
    @inlinable
    var asOwnSharedSequence: SharedSequence<SharingStrategy, Element>? {
        self as? SharedSequence<SharingStrategy, Element>
    }
}
