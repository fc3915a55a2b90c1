public import RxPrimitives

/// A node of one subscription's chain. Cancellation goes up the chain, from stage to stage.
///
/// Each stage holds its upstream strongly and is held by it, since events come down the same way. The circle is cut by
/// `cancel()`, which every terminal event and every `dispose()` ends in.
@usableFromInline
package class Stage {
    /// `Stage.unlinked`, `Stage.cancelled`, or the address of the upstream stage, retained.
    ///
    /// Life: unlinked at birth; the upstream's address from `link`; cancelled from `cancel`, and never anything else again.
    /// Stages with nothing above them keep marks of their own here: `SubjectSubscription`, `ScheduledAction`.
    @usableFromInline package final let upstream = AtomicWord(0)

    @inlinable @inline(__always)
    package static var unlinked: UInt { 0 }

    @inlinable @inline(__always)
    package static var cancelled: UInt { 1 }

    /// The largest word that is no address. What lies between `cancelled` and this are marks of subclasses.
    @inlinable @inline(__always)
    static var lastMark: UInt { 4 }

    @inlinable
    package init() {
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    @inlinable
    deinit {
        let word = upstream.loadRelaxed()
        if word > Stage.lastMark {
            Stage.releaseUpstream(word)
        }
        #if TRACE_RESOURCES
            ResourceCensus.died(Self.self)
        #endif
    }

    @usableFromInline
    static func releaseUpstream(_ word: UInt) {
        Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).release()
    }

    /// Whether this stage was cancelled. Out of date as soon as it is read when another thread cancels.
    @inlinable @inline(__always)
    package final var isCancelled: Bool { upstream.loadRelaxed() == Stage.cancelled }

    /// Whether there is no stage above yet.
    package final var isUnlinked: Bool { upstream.loadRelaxed() == Stage.unlinked }

    /// Takes the stage above, so that `cancel()` reaches it. Called once, before the first event.
    ///
    /// Here: for a stage which may be cancelled while it is being linked, by another thread or by itself.
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

    /// Whether a terminal event that this stage sends is the end of its source. Else the source stays subscribed to until `cancel()`.
    package var endsByItself: Bool { true }

    /// Marks this stage cancelled. Exactly one caller gets a value: it has to cancel the stage inside, if there is one.
    @inlinable
    package final func takeUpstream() -> Upstream? {
        // A stage that ends is often cancelled already, by its downstream: no read-modify-write then.
        if isCancelled { return nil }
        // Acquiring: paired with the compare-exchange in `link`.
        let word = upstream.exchange(Stage.cancelled)
        return word == Stage.cancelled ? nil : Upstream(word: word)
    }

    /// What `takeUpstream` found.
    @frozen
    @usableFromInline
    package struct Upstream {
        @usableFromInline let word: UInt

        @inlinable
        init(word: UInt) { self.word = word }

        /// The stage above, if one was linked. To be called once.
        @inlinable
        package func take() -> Stage? {
            guard word > Stage.lastMark else { return nil }
            return Unmanaged<Stage>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).takeRetainedValue()
        }
    }
}
