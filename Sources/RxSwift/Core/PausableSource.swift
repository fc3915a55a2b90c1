// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// Backpressure (law L13):
//
//   source ── pauses(self)? ──► stage ── pauses ──► stage ── pauses ──► observe(on:), whose queue is full: yes
//      ▲                                                                   │ keeps the source in its list of waiting sources
//      └───────────────────────────── resume() ◄───────────────────────────┘ once the queue has emptied
//
// A source asks down the chain now and then before it continues, and never from inside an event. A stage between passes the question on.
// A source that cannot pause never asks, and a chain that no stage pauses pays nothing per event. The question goes down because
// every stage holds its downstream for as long as it lives, while its upstream may be cancelled, replaced and released by other threads at
// any time. So neither a pause nor a resume has to be kept in step with `link` and `cancel`.
//
// The answer is advice: a stage that has answered yes still takes every event that comes.

/// A source that can pause: a file, a socket, a hop, a loop of a scheduler.
///
/// It asks `pauses` of its downstream. After the answer true it stops until `resume` is called.
@usableFromInline
package protocol PausableSource: AnyObject {
    /// Tells the source to ask again, and to continue if no stage pauses it any more. From any thread, maybe more often than the source
    /// has paused. Runs no code of the user, and does not wait.
    func resume()
}

/// An observer that passes the question of a source on: a subject, a relay, the observer of `create`.
///
/// The end of a subscription looks for it only when a source asks, so that others pay nothing.
@usableFromInline
package protocol PausingObserver {
    /// Tells whether the subscribers want a source to pause, under the contract of `AnySink.pauses`.
    func pauses(_ source: any PausableSource) -> Bool
}

extension ObserverType {
    /// Passes the question of a source on, if the observer does that, and returns the answer.
    ///
    /// Not inlined: the place to which the observer is cast would be on the stack of each terminal event (law L8).
    @usableFromInline @inline(never)
    package func passOnQuestion(of source: any PausableSource) -> Bool {
        (self as? any PausingObserver)?.pauses(source) ?? false
    }
}

/// Observers that receive each event, one after the other: they pause a source only if all do.
extension Array: PausingObserver where Element: PausingObserver {
    @usableFromInline
    package func pauses(_ source: any PausableSource) -> Bool { !isEmpty && allSatisfy { $0.pauses(source) } }
}

/// The sources that a stage has paused. For one thread at a time.
///
/// Holds them weakly: the stages below a source keep it alive for as long as it is wanted.
package struct WaitingSources: ~Copyable {
    private var entries: [Entry] = []
    /// The number of entries at which the next `add` looks for sources that are gone or wait twice.
    private var limit = 16

    fileprivate struct Entry {
        weak var source: (any PausableSource)?
        let identity: ObjectIdentifier
    }

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a source.
    ///
    /// - Returns: to be released when no lock is held.
    package mutating func add(_ source: any PausableSource) -> Inspected {
        let identity = ObjectIdentifier(source)
        // Looks at the last one only if it had the address of `source`: then it is that, or gone.
        if let last = entries.last, last.identity == identity, last.source != nil { return Inspected(sources: []) }
        let inspected = entries.count >= limit ? removeSuperfluous() : []
        entries.append(Entry(source: source, identity: identity))
        return Inspected(sources: inspected)
    }

    /// Sources that `add` has looked at: maybe the last references to them, with which code of the user may end (law L7).
    package struct Inspected {
        fileprivate let sources: [any PausableSource]
    }

    /// Takes the sources, to be resumed when no lock is held.
    package mutating func takeAll() -> Removed {
        let taken = Removed(entries: entries)
        entries = []
        limit = 16
        return taken
    }

    /// Keeps the entries tidy for a stage that stays paused while sources come and go. Amortized O(1) per `add`.
    ///
    /// - Returns: the sources that it looked at.
    private mutating func removeSuperfluous() -> [any PausableSource] {
        var seen: Set<ObjectIdentifier> = []
        var inspected: [any PausableSource] = []
        entries.removeAll { entry in
            guard let source = entry.source else { return true }
            inspected.append(source)
            return !seen.insert(entry.identity).inserted
        }
        limit = max(16, 2 * entries.count)
        return inspected
    }

    /// The sources that `takeAll` has removed.
    package struct Removed {
        fileprivate let entries: [Entry]

        /// The number of entries, for tests.
        package var count: Int { entries.count }

        /// Resumes the sources, the first one last. No lock is held.
        ///
        /// The source that is resumed first fills the room, and so is the first that waits again. In an unchanged order it would always have most of the
        /// room for itself.
        package func resume() {
            for entry in entries.dropFirst() { entry.source?.resume() }
            entries.first?.source?.resume()
        }
    }
}

/// The word with which a source that runs on any thread pauses.
///
///     state.willAsk()
///     if downstream.pauses(self), state.pause() { return }   // the thread that resumes the source starts it again
///
/// A `resume` between the question and `pause` cancels the pause.
package struct PauseState: ~Copyable {
    private let word = AtomicWord(PauseState.running)

    private static var running: UInt { 0 }
    /// The source was resumed since it began to ask.
    private static var resumed: UInt { 1 }
    private static var paused: UInt { 2 }

    package init() {}

    /// Begins a question. Called by the source only, which runs.
    package func willAsk() {
        // Relaxed: a resume that is lost here answers an earlier question.
        if word.loadRelaxed() != PauseState.running { word.storeRelaxed(PauseState.running) }
    }

    /// Pauses a source that was told to. Returns false if it was resumed meanwhile: then the source runs on.
    package func pause() -> Bool {
        // Acquiring and releasing: paired with `resume`. The thread that starts the source again sees its state.
        // No exchange: the word of a source that runs on must not say `paused`, or a second `resume` would start the source twice.
        word.compareExchange(PauseState.running, PauseState.paused)
    }

    /// True if the source has paused, and was not resumed. Out of date as soon as it is read.
    package var isPaused: Bool { word.loadRelaxed() == PauseState.paused }

    /// Resumes the source. Returns true if the source had paused, and the caller has to start it.
    package func resume() -> Bool { word.exchange(PauseState.resumed) == PauseState.paused }
}
