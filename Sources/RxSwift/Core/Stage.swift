// SPDX-License-Identifier: Apache-2.0

public import RxPrimitives

/// A node of one subscription's chain. Cancellation goes up the chain, from stage to stage.
///
/// Each stage holds its upstream strongly and is held by it, since events come down the same way. The circle is cut by
/// `cancel()`, which every terminal event and every `dispose()` ends in.
@usableFromInline
package class Stage {
    /// `Stage.unlinked`, `Stage.cancelled`, or the address of the upstream stage, retained; with the bit `quiesced`, or without.
    ///
    /// Life: unlinked at birth; the upstream's address from `link`; cancelled from `cancel`, and never anything else again.
    /// A stage whose downstream has ended but not cancelled it yet bears the bit `quiesced`, once set never cleared.
    /// `SubjectSubscription` and `ScheduledAction`, which have no stage above, store tags of their own here; those are even.
    @usableFromInline package final let upstream = AtomicWord(0)

    @inlinable @inline(__always)
    package static var unlinked: UInt { 0 }

    @inlinable @inline(__always)
    package static var cancelled: UInt { 1 }

    /// The bit of a stage that forwards nothing any more; a part of `cancelled`.
    @inlinable @inline(__always)
    static var quiesced: UInt { 1 }

    /// The stage was quiesced before its upstream was linked, and is not cancelled yet.
    static var quiescedUnlinked: UInt { 5 }

    /// The upstream is being quiesced by a thread that has taken its address. A thread that cancels meanwhile leaves the upstream to it.
    static var quiescing: UInt { 7 }

    /// As `quiescing`, but the source has ended meanwhile, and the thread that quiesces it has to cancel it.
    static var quiescingUnlinked: UInt { 3 }

    /// The largest tag: greater words are addresses. The even words between `cancelled` and this one are tags of subclasses.
    @inlinable @inline(__always)
    static var maxTag: UInt { 7 }

    @inlinable
    package init() {
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    @inlinable
    deinit {
        let word = upstream.loadRelaxed()
        if word > Stage.maxTag {
            Stage.releaseUpstream(word)
        }
        #if TRACE_RESOURCES
            ResourceCensus.died(Self.self)
        #endif
    }

    @usableFromInline
    static func releaseUpstream(_ word: UInt) {
        linked(by: word).release()
    }

    /// The stage at the address in a word.
    @inlinable
    static func linked(by word: UInt) -> Unmanaged<Stage> {
        .fromOpaque(UnsafeRawPointer(bitPattern: word & ~quiesced).unsafelyUnwrapped)
    }

    /// True if this stage was cancelled, or will be at once because its downstream has ended. Out of date as soon as it is read when
    /// another thread cancels.
    @inlinable @inline(__always)
    package final var isCancelled: Bool { upstream.loadRelaxed() & Stage.quiesced != 0 }

    /// True if `cancel()` was called, which `isCancelled` cannot tell from being quiesced.
    package final var hasBeenCancelled: Bool { upstream.loadRelaxed() == Stage.cancelled }

    /// True if there is no stage above yet.
    package final var isUnlinked: Bool {
        let word = upstream.loadRelaxed()
        return word == Stage.unlinked || word == Stage.quiescedUnlinked
    }

    /// Links the stage above, so that `cancel()` reaches it. Called once, before the first event.
    ///
    /// This implementation is for a stage which may be cancelled while it is being linked, by another thread or by itself.
    @usableFromInline
    package func link(_ stage: Stage) {
        // Releasing: paired with the exchange in `takeUpstream`, so that the canceller sees the stages above complete.
        let retained = Unmanaged.passRetained(stage)
        if !upstream.compareExchange(Stage.unlinked, UInt(bitPattern: retained.toOpaque())) {
            retained.release()
            stage.cancel()
        }
    }

    /// Ends the subscription above: no event is asked for any more, and the circle of references is cut.
    ///
    /// From any thread, any number of times.
    @usableFromInline
    package func cancel() {
        takeUpstream()?.take()?.cancel()
    }

    /// True if a terminal event that this stage sends is the end of its source. Otherwise the source stays subscribed to until `cancel()`.
    package var endsByItself: Bool { true }

    /// Marks this stage cancelled, and gives exactly one caller a value: that caller has to cancel the stage inside, if there is one.
    @inlinable
    package final func takeUpstream() -> Upstream? {
        // A stage that ends is often cancelled already, by its downstream: no read-modify-write then.
        if upstream.loadRelaxed() == Stage.cancelled { return nil }
        // Acquiring: paired with the compare-exchange in `link`.
        let word = upstream.exchange(Stage.cancelled)
        return word == Stage.cancelled ? nil : Upstream(word: word)
    }

    /// The word that `takeUpstream` found, which may be the address of a stage.
    @frozen
    @usableFromInline
    package struct Upstream {
        @usableFromInline let word: UInt

        @inlinable
        init(word: UInt) { self.word = word }

        /// Returns the stage above, if one was linked; to be called once.
        @inlinable
        package func take() -> Stage? {
            guard word > Stage.maxTag else { return nil }
            return Stage.linked(by: word).takeRetainedValue()
        }

        /// True if there is a stage above.
        package var isLinked: Bool { word > Stage.maxTag }

        /// True if the stages above were quiesced.
        package var isQuiesced: Bool { word & Stage.quiesced != 0 }

        /// Quiesces the stages above, which the caller is about to cancel.
        package func quiesce() { Stage.walk(from: word) { $0.quiesceBoundary() } }
    }

    // MARK: Quiescing
    //
    // A stage that ends first forwards its terminal event and then cancels the stages above, which is RxSwift's order. Closures above must
    // not run meanwhile for events of other threads (law L1). So before it forwards the event it quiesces the stages above: sources
    // and serialized boundaries take nothing more, but are neither disposed of nor released.

    /// Stops taking events from above, and quiesces the stages above; `cancel` follows. From any thread, which keeps this stage alive.
    ///
    /// This implementation is for a stage that other threads may cancel or link.
    /// - Returns: the word of the stage to continue with, or 0.
    package func quiesce() -> UInt {
        quiesceUpstream()
        forEachFurtherLink { $0.quiesceUpstream() }
        return 0
    }

    /// Runs `body` with each stage that holds the link to a further source, beside the upstream.
    package func forEachFurtherLink(_ body: (Stage) -> Void) {}

    /// Quiesces this stage if it is a serialized boundary or a source. Any other stage only returns the stage above.
    ///
    /// A stage between the caller and the nearest boundary above cannot be running on another thread, so it has nothing to stop.
    ///
    /// - Returns: the word of the stage to continue with, or 0.
    package func quiesceBoundary() -> UInt {
        // Acquiring: paired with the compare-exchange in `link`.
        upstream.loadAcquiring()
    }

    /// Quiesces the stage above, also one that will be linked later.
    package final func quiesceUpstream() {
        while true {
            let word = upstream.loadRelaxed()
            if word & Stage.quiesced != 0 { return }
            if word > Stage.maxTag {
                if holdUpstream(word, { Stage.walk(from: word) { $0.quiesce() } }) { return }
            } else if word != Stage.unlinked || upstream.compareExchange(word, Stage.quiescedUnlinked) {
                return
            }
        }
    }

    /// Quiesces the stage above, and tells it that it is bound to be cancelled: the cancellation is only postponed. See `abandonSubscription`.
    package final func abandonUpstream() {
        quiesceUpstream()
        while case let word = upstream.loadRelaxed(), word > Stage.maxTag {
            if holdUpstream(word, { Stage.walk(from: word) { $0.abandonSubscription() } }) { return }
        }
    }

    /// Notes that this stage, which was quiesced, is bound to be cancelled, and passes that on.
    ///
    /// A stage that is only quiesced may be followed by another one that subscribes to the same source: of `concat(_:)`, as its terminal event is on its
    /// way. So a source which several subscriptions share goes on until each is cancelled or abandoned; and one that subscribes over and
    /// over within the postponing `subscribe` would never come to an end otherwise.
    /// - Returns: the word of the stage to continue with, or 0.
    package func abandonSubscription() -> UInt {
        abandonUpstream()
        forEachFurtherLink { $0.abandonUpstream() }
        return 0
    }

    /// Tells this stage and those above, which were quiesced, that they are bound to be cancelled. See `abandonSubscription`.
    package final func abandonChain() {
        Stage.walk(from: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) { $0.abandonSubscription() }
    }

    /// The number of events behind a cancellation from which a source is taken for one that keeps the thread on which it is to be cancelled.
    static var lateEventLimit: UInt { 256 }

    /// The share of a source that ends with this stage: the first one above it or itself, if only linear stages lie between. Called while the
    /// stage is being linked, as no other thread cancels it yet.
    package final func share() -> Stage? {
        var share: Stage?
        Stage.walk(from: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) { $0.findShare(&share) }
        return share
    }

    /// Sets `share` to this stage if it is a share of a source.
    /// - Returns: the word of the stage to continue with, or 0.
    package func findShare(_ share: inout Stage?) -> UInt { 0 }

    /// Stops a source in a loop above this stage, which the caller has cancelled and will let go of later, if only linear stages lie between.
    package final func stopLoop() {
        Stage.walk(from: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) { $0.quiesceLoop() }
    }

    /// Quiesces this stage if it is a source in a loop.
    /// - Returns: the word of the stage to continue with, or 0.
    package func quiesceLoop() -> UInt { 0 }

    /// Runs `body` while no other thread releases the stage above, whose word this is. Returns false if it has changed meanwhile.
    private func holdUpstream(_ word: UInt, _ body: () -> Void) -> Bool {
        // Acquiring: paired with the compare-exchange in `link`.
        guard upstream.compareExchange(word, Stage.quiescing) else { return false }
        body()
        // Releasing: paired with the exchange in `takeUpstream`. If it fails, this stage was cancelled meanwhile or its source has ended.
        if !upstream.compareExchange(Stage.quiescing, word | Stage.quiesced) {
            _ = upstream.compareExchange(Stage.quiescingUnlinked, Stage.quiescedUnlinked)
            Stage.linked(by: word).takeRetainedValue().cancel()
        }
        return true
    }

    /// Quiesces this stage, which the caller is about to cancel, and the stages above.
    package final func quiesceChain() {
        Stage.walk(from: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) { $0.quiesceBoundary() }
    }

    /// Does a step from stage to stage: a loop, because chains are long (law L8).
    private static func walk(from word: UInt, _ step: (Stage) -> UInt) {
        var word = word
        while word > maxTag { word = linked(by: word)._withUnsafeGuaranteedRef(step) }
    }
}

/// A place for one upstream, which a stage with several sources keeps for each of them.
///
/// Held by the stage and by the sink that receives the source's events; the sink holds the stage, so the stage must not hold
/// the sink. Cancelling the link ends that source's subscription and cuts the circle.
package final class UpstreamLink: Stage {}
