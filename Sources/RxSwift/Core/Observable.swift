// SPDX-License-Identifier: Apache-2.0

/// A sequence of events that can be observed: `next* (error | completed)?`.
///
/// An observable is an immutable description. Each subscription runs it anew: one stage per operator, linked in a chain.
///
/// Safe to share between threads, also with elements that are not `Sendable`: a hop carries elements to another thread without a check that they may go there.
/// Ask for `Element: Sendable` where that matters.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    @inlinable
    package init() {
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            ResourceCensus.died(Self.self)
        }
    #endif

    /// Builds this observable's stages above `downstream` and starts them.
    ///
    /// Links `downstream` before its first event. Runs on the subscribing thread, inside the thread's trampoline if
    /// `startsOnTrampoline`.
    @usableFromInline
    package func subscribeCore(_ downstream: Sink<Element>) { abstractMethod() }

    /// Subscribes a sink that is not the program's own observer.
    ///
    /// Only `do` overrides this: it behaves differently when it is the last operator before that observer.
    @usableFromInline
    package func subscribeCoreAboveOperator(_ downstream: Sink<Element>) { subscribeCore(downstream) }

    /// Returns an observable whose `subscribeCore` is this one's `subscribeCoreAboveOperator`.
    package func aboveOperator() -> Observable<Element> { self }

    /// Subscribes the stage that runs `steps`, the operators between this observable and `downstream`.
    @usableFromInline
    package func subscribeCore<Last>(_ steps: FusedSteps, downstream: Sink<Last>) {
        subscribeCore(FusedSink<Element, Last>(steps, downstream: downstream))
    }

    /// The offset of this observable in a row of fusible operators.
    @usableFromInline
    package var fusionOffset: FusionOffset { .none }

    /// The offset after which the row that ends here is split, known when the row is subscribed to; `none` without a split.
    @usableFromInline
    package var fusionSplit: FusionOffset { .none }

    /// This observable as a share which the share of an operator's result can make superfluous.
    @usableFromInline
    package var bypassableShare: (any BypassableShare)? { nil }

    /// Notes that this observable, if it is a share, shares the result of an operator on another sequence.
    ///
    /// - Parameter upstream: held by that operator's observable, which subscribes to it at most once per subscription.
    @usableFromInline
    package func shares<Upstream>(derivedFrom upstream: Observable<Upstream>) {}

    /// True if subscribing opens the thread's trampoline, on which synchronous sources take turns.
    ///
    /// False for sources that emit right inside `subscribe` (`just`, `empty`, `error`) or later (subjects, `never`).
    @usableFromInline
    package var startsOnTrampoline: Bool { true }

    /// Returns the observable to subscribe to instead: of one that only makes another (`deferred`), the one made for the next subscription.
    ///
    /// Runs the closure that makes it. For operators with a tail, so that recursion through the tail does not nest (law L8).
    package func resolved() -> Observable<Element> { self }

    /// Emits into `sink` the only element of a sequence that consists of one element and completes at once.
    ///
    /// Lets operators over inner sequences skip a subscription whose course is known. Does not emit `completed`.
    /// - Returns: false, having done nothing, for every other sequence.
    @usableFromInline
    package func emitScalar(into sink: Sink<Element>) -> Bool { false }

    /// The name of the queue on which all events are delivered that do not come within `subscribe`, if none can come as long as
    /// the calling thread waits, because that thread keeps the queue from running.
    ///
    /// Nil if this is not so, or if it is not known.
    /// - Parameter mainQueueRuns: whether the caller runs the main queue while it waits.
    package func queueHeldByCaller(mainQueueRuns: Bool) -> String? { nil }
}

/// `Observable` under a name that does not collide with the `Observation` framework's.
public typealias RxObservable<Element> = Observable<Element>

/// An observable whose sharing makes no difference any more once its only subscriber is another share.
///
/// `driver.map(f).filter(p)` is a row of shares, one per operator, of which usually only the last one can be subscribed to: only the
/// next operator holds the others. Such a share is nothing but a serializer that no other subscriber can use, so the
/// share below bypasses it. It is recognized by its reference count: one, that of the operator's observable.
@usableFromInline
package protocol BypassableShare: AnyObject {
    /// Makes subscriptions go straight to the source from now on. Only the caller can subscribe, now and later.
    func bypass()
}
