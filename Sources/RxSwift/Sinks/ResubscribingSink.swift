// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Lets one source follow another in a loop instead of by recursion.
///
/// A source may end while it is still being subscribed to. If the subscribing thread brings the end, it continues with the next source when that
/// subscription has been made. If another thread does, that one subscribes to the next source, and the first one only leaves: the next source may
/// be endless, and would capture a thread that has to return from `subscribe`.
/// May be called from any thread. At most one end is on its way at a time, since the next source is not subscribed to before.
struct ResubscribingGate: ~Copyable {
    /// `free`, or the identity of the thread that subscribes, with the bit `ended` or without.
    private let state = AtomicWord(ResubscribingGate.free)

    /// No thread is subscribing to a source.
    private static let free: UInt = 0
    /// The source has ended on the thread that is subscribing to it, which has yet to take notice.
    private static let ended: UInt = 1 << UInt(UInt.bitWidth - 1)

    /// 1 while the source that follows is chosen, and not subscribed to yet. Only the thread whose identity `state` has accesses it.
    private let isBetween = NonAtomicWord(1)

    /// Returns whether the caller is to subscribe to the next source. If not, it is subscribing already, further up its stack.
    func enter() -> Bool {
        let caller = CurrentThread.identity
        while true {
            let word = state.loadRelaxed()
            // A second end of one source: the first one counts.
            if word & ResubscribingGate.ended != 0 { return false }
            let isCallers = word == caller
            // Acquiring and releasing: paired with each other and with `leave`, as the duty goes from thread to thread.
            if state.compareExchange(word, isCallers ? caller | ResubscribingGate.ended : caller) { return !isCallers }
        }
    }

    /// True if a thread is subscribing. Until a source that ends has reported its end, this changes only from true to false.
    var isBusy: Bool { state.loadRelaxed() != ResubscribingGate.free }

    /// True if the calling thread is subscribing to the current source.
    var isSubscribing: Bool {
        state.loadRelaxed() & ~ResubscribingGate.ended == CurrentThread.identity && isBetween.load() == 0
    }

    /// Notes that the caller, which has entered, chooses the next source.
    func willChoose() { isBetween.store(1) }

    /// Notes that the caller, which has entered, subscribes to the source chosen.
    func willSubscribe() { isBetween.store(0) }

    /// Returns whether the caller has left. If not, the source has ended on this thread, and the next one is due.
    func leave() -> Bool {
        let caller = CurrentThread.identity
        if state.compareExchange(caller, ResubscribingGate.free) { return true }
        // Fails if another thread subscribes to the next source, or has done so.
        return !state.compareExchange(caller | ResubscribingGate.ended, caller)
    }
}

/// Receives the events of sources that are subscribed to one after another, however many end within their subscription.
///
/// Its link holds the current source. It needs no queue and no lock: events of two sources cannot overlap, as the next one is
/// subscribed to after the end of the one before.
@usableFromInline
package class ResubscribingSink<Element>: Sink<Element> {
    private let gate = ResubscribingGate()

    /// Returns the source that is due; nil if there is none, after which `exhausted` is called.
    ///
    /// Called by one thread at a time, with nothing held; may run a user's code.
    package func nextSource() -> Observable<Element>? { abstractMethod() }

    /// Reacts when no source is left. Called at most once per `advance`, and not after a cancellation.
    package func exhausted() { abstractMethod() }

    /// Passes a terminal event on, and cancels the source.
    ///
    /// - Parameter after: runs after the event, for `do`.
    @inline(__always)
    package final func end(_ tell: () -> Void, then after: () -> Void = {}) {
        end(isSubscribing: gate.isSubscribing, tell, then: after)
    }

    /// True if the calling thread is subscribing to the source.
    package final var isSubscribing: Bool { gate.isSubscribing }

    private final func start(_ source: Observable<Element>) {
        gate.willSubscribe()
        source.start(self)
    }

    /// Subscribes to the first source, also if this stage was cancelled before: RxSwift has that effect, too. The source is cancelled at once.
    package final func begin() {
        _ = gate.enter()
        if let source = nextSource() { start(source) } else if !isCancelled { exhausted() }
        if !gate.leave() { proceed() }
    }

    /// Handles the end of the source, whose terminal event stays here. The source is cancelled at once if it is still being subscribed to;
    /// otherwise before the next one is subscribed to, or after the terminal event if there is none (law L11).
    package final func sourceEnded() {
        if gate.isBusy { endSource() }
        advance()
    }

    /// Subscribes to the next source, or ensures that this is done when the subscription further up the stack has been made.
    package final func advance() {
        if gate.enter() { proceed() }
    }

    /// Subscribes to sources until one keeps running. The caller has entered the gate.
    private final func proceed() {
        repeat {
            gate.willChoose()
            upstreamGoesOn()
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
    /// Cancels a source whose terminal event this stage keeps to itself, so that another one can be linked.
    ///
    /// Only the thread that received that event calls this.
    @usableFromInline
    package final func endSource() { unlinkSource()?.cancel() }

    /// Takes the link to a source whose terminal event this stage keeps to itself; the caller cancels the source.
    ///
    /// Only the thread that received that event calls this. Returns nil if there is no source, or if this stage was cancelled.
    @usableFromInline
    package final func unlinkSource() -> Stage? {
        while true {
            let word = upstream.loadRelaxed()
            if word == Stage.quiescing {
                // The thread that quiesces the source cancels it, too.
                if upstream.compareExchange(word, Stage.quiescingUnlinked) { return nil }
            } else if word > Stage.maxTag {
                // Fails if another thread cancels this stage or begins to quiesce the stages above.
                let rest = word & Stage.quiesced == 0 ? Stage.unlinked : Stage.quiescedUnlinked
                if upstream.compareExchange(word, rest) { return Upstream(word: word).take() }
            } else {
                return nil
            }
        }
    }
}
