import RxPrimitives

/// Lets one source follow another in a loop instead of by recursion.
///
/// A source may end while it is still being subscribed to, on this or another thread. The one subscribing then goes on with
/// the next source when that subscription has been made; otherwise whoever brings the end subscribes.
/// From any thread. At most one end is on its way at a time, since the next source is not subscribed to before.
struct ResubscribingGate: ~Copyable {
    /// `free`, `busy` or `ended`.
    private let state = AtomicWord(ResubscribingGate.free)

    /// Nobody is subscribing.
    private static let free: UInt = 0
    /// Somebody is subscribing. Set by entering, cleared by leaving.
    private static let busy: UInt = 1
    /// Somebody is subscribing, and the source has ended meanwhile. Back to busy when that one takes notice.
    private static let ended: UInt = 2

    /// Returns whether the caller is to subscribe to the next source. If not, the one who is subscribing will.
    func enter() -> Bool {
        while true {
            // Acquiring and releasing: paired with each other and with `leave`, as the duty goes from thread to thread.
            if state.compareExchange(ResubscribingGate.free, ResubscribingGate.busy) { return true }
            if state.compareExchange(ResubscribingGate.busy, ResubscribingGate.ended) { return false }
            // A second end of one source: the first one counts.
            if state.loadRelaxed() == ResubscribingGate.ended { return false }
        }
    }

    /// Whether a thread is subscribing. Does not change while a source that ends has not told so, but from true to false.
    var isBusy: Bool { state.loadRelaxed() != ResubscribingGate.free }

    /// Returns whether the caller has left. If not, the source has ended and the next one is due.
    func leave() -> Bool {
        if state.compareExchange(ResubscribingGate.busy, ResubscribingGate.free) { return true }
        return !state.compareExchange(ResubscribingGate.ended, ResubscribingGate.busy)
    }
}

/// Receives the events of sources that are subscribed to one after another, however many end within their subscription.
///
/// Its link holds the source of the moment. No queue and no lock: events of two sources cannot overlap, as the next one is
/// subscribed to after the end of the one before.
@usableFromInline
package class ResubscribingSink<Element>: Sink<Element> {
    private let gate = ResubscribingGate()
    private let subscribePhase = SubscribePhase()

    /// The source that is due. Nil if there is none, after which `exhausted` is called.
    ///
    /// Called by one thread at a time, with nothing held. May run a user's code.
    package func nextSource() -> Observable<Element>? { abstractMethod() }

    /// No source is left. Called at most once per `advance`, and not after a cancellation.
    package func exhausted() { abstractMethod() }

    /// Passes a terminal event on, and cancels the source.
    ///
    /// - Parameter after: what `do` runs behind the event.
    @inline(__always)
    package final func end(_ tell: () -> Void, then after: () -> Void = {}) {
        end(subscribePhase, tell, then: after)
    }

    /// Whether the calling thread is subscribing to the source.
    package final var isSubscribing: Bool { subscribePhase.isOnStack }

    private final func start(_ source: Observable<Element>) {
        subscribePhase.begin()
        source.start(self)
        _ = subscribePhase.end()
    }

    /// Subscribes to the first source, also if this stage was cancelled before: RxSwift has that effect, too. The source is cancelled at once.
    package final func begin() {
        _ = gate.enter()
        if let source = nextSource() { start(source) } else if !isCancelled { exhausted() }
        if !gate.leave() { goOn() }
    }

    /// The source has ended, and its terminal event stays here. It is cancelled at once if it is still being subscribed to; else before
    /// the next one is subscribed to, or behind the terminal event if there is none (law L11).
    package final func sourceEnded() {
        if gate.isBusy { endSource() }
        advance()
    }

    /// Subscribes to the next source, or sees to it that this is done when the subscription in progress has been made.
    package final func advance() {
        if gate.enter() { goOn() }
    }

    /// Subscribes to sources until one goes on. The caller has entered the gate.
    private final func goOn() {
        repeat {
            if isCancelled { return }
            let source = nextSource()
            if isCancelled { return }
            if let source {
                endSource()
                start(source)
            } else {
                exhausted()
            }
        } while !gate.leave()
    }
}

extension Stage {
    /// Lets go of a source whose terminal event this stage keeps to itself, so that another one can be linked.
    ///
    /// Only by the one who received that event.
    @usableFromInline
    package final func endSource() { unlinkSource()?.cancel() }

    /// Takes the link to a source whose terminal event this stage keeps to itself; the caller cancels the source.
    ///
    /// Only by the one who received that event. Nil if there is none, or if this stage was cancelled.
    @usableFromInline
    package final func unlinkSource() -> Stage? {
        while true {
            let word = upstream.loadRelaxed()
            if word == Stage.quiescing {
                // The thread that quiesces the source cancels it, too.
                if upstream.compareExchange(word, Stage.quiescingUnlinked) { return nil }
            } else if word > Stage.maxTag {
                // Fails if another thread cancels this stage or begins to quiesce what is above.
                let rest = word & Stage.quiesced == 0 ? Stage.unlinked : Stage.quiescedUnlinked
                if upstream.compareExchange(word, rest) { return Upstream(word: word).take() }
            } else {
                return nil
            }
        }
    }
}
