// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Disposes of a subscription while its event is coming, a great many times.
///
/// A pause between the event's cause and the dispose decides which of the two wins. The pause becomes a little shorter when the
/// event was first, and longer when the dispose was. So the two stay close together on any machine, and each wins often, which
/// is checked.
final class DisposeRace: @unchecked Sendable {
    /// One subscription. Its events come on the loop, one at a time.
    final class Round: @unchecked Sendable {
        /// Distinguishes the event of this round from late events of earlier rounds.
        let mark: UInt8
        fileprivate let hasCome = AtomicWord(0)
        fileprivate let isDisposed = AtomicWord(0)
        /// The number of events that began after the dispose had returned. Only the loop touches it.
        fileprivate var lateCount = 0

        fileprivate init(_ mark: UInt8) { self.mark = mark }
    }

    /// The pause between the event's cause and the dispose, for rounds of one kind.
    private struct Aim {
        private(set) var delay = 0
        private var step = 1
        private var wasShortened = false
        static let longest = 20_000

        mutating func adjust(hasCome: Bool) {
            // A step in the same direction doubles, and a step back halves.
            step = hasCome == wasShortened ? min(step * 2, 256) : max(step / 2, 1)
            wasShortened = hasCome
            delay = min(max(delay + (hasCome ? -step : step), 0), Aim.longest)
        }
    }

    private let scheduler: IOUringScheduler
    private var aims: [Aim]
    private(set) var wins = 0
    private(set) var losses = 0
    /// The number of rounds with more than one late event: law L5 allows the one under way.
    private let violations = AtomicCounter(0)
    private let errors = AtomicCounter(0)

    /// - Parameter kinds: the number of kinds of rounds that take turns, each with a pause of its own.
    init(_ scheduler: IOUringScheduler, kinds: Int) {
        self.scheduler = scheduler
        aims = Array(repeating: Aim(), count: kinds)
    }

    /// - Parameters:
    ///   - source: makes the sequence of a round of that kind, which emits marks.
    ///   - waitsUntilBegun: true if the loop has to begin with the subscription before `setOff` is called.
    ///   - setOff: makes `source` emit a mark.
    func run(
        _ rounds: Int, source: (_ kind: Int, _ mark: UInt8) throws -> Observable<UInt8>,
        waitsUntilBegun: (_ kind: Int) -> Bool = { _ in false }, setOff: (_ mark: UInt8) -> Void = { _ in }
    ) rethrows {
        let releases = AtomicCounter(0)
        do {
            let token = ReleaseToken { releases.increment() }
            for number in 0..<rounds {
                let kind = number % aims.count
                let round = Round(UInt8(truncatingIfNeeded: number))
                let subscription = try source(kind, round.mark).subscribe(
                    onNext: { [self] mark in withExtendedLifetime(token) { received(mark, round) } },
                    onError: { [self] _ in errors.increment() })
                if waitsUntilBegun(kind) { waitForTheLoop() }
                setOff(round.mark)
                pause(aims[kind].delay)
                subscription.dispose()
                round.isDisposed.storeReleasing(1)
                let hasCome = round.hasCome.loadAcquiring() != 0
                if hasCome { losses += 1 } else { wins += 1 }
                aims[kind].adjust(hasCome: hasCome)
            }
        }
        #expect(waitUntil { releases.value == 1 }, "a subscription is left")
        #expect(errors.value == 0, "a source failed")
        #expect(violations.value == 0, "more than the event under way came after a dispose")
        #expect(wins >= rounds / 100 && losses >= rounds / 100, "no race: \(wins) to \(losses)")
    }

    private func received(_ mark: UInt8, _ round: Round) {
        if round.isDisposed.loadAcquiring() != 0 {
            round.lateCount += 1
            if round.lateCount == 2 { violations.increment() }
        }
        if mark == round.mark { round.hasCome.storeReleasing(1) }
    }

    private func waitForTheLoop() {
        let hasRun = AtomicCounter(0)
        _ = scheduler.schedule(()) {
            hasRun.increment()
            return Disposables.create()
        }
        spin { hasRun.value != 0 }
    }

    private func pause(_ length: Int) {
        let word = AtomicWord(0)
        for step in 0..<length {
            _ = word.fetchAdd(1)
            // Only a loop that waits for a processor takes so long.
            if step % 2_000 == 1_999 { sched_yield() }
        }
    }

    /// Runs races on a loop that does not sleep between rounds, and expects that they leave no descriptor, no object and no
    /// operation in flight: the loop of a released scheduler ends as soon as there is none.
    static func run(
        _ name: String, _ backend: Backend, kinds: Int,
        _ body: (DisposeRace, IOUringScheduler) throws -> Void
    ) rethrows {
        let begin = MonotonicClock.now()
        var result = ""
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(name: "rx.race", spin: .upTo(.microseconds(200)), backend: backend)
            let race = DisposeRace(scheduler, kinds: kinds)
            try body(race, scheduler)
            result = "\(race.wins) disposes came first, \(race.losses) events"
        }
        #expect(waitUntil { threadCount(named: "rx.race") == 0 }, "the loop has something left to do")
        let seconds = Double(MonotonicClock.now() - begin) / 1e9
        print("Disposes against \(name) on \(backend): \(result), \(Int(seconds.rounded(.up))) s")
    }
}
