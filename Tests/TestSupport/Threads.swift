// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift

/// Runs bodies on threads of their own that start together, and waits for them and for their deputies (law L12).
///
/// The threads meet spinning: a thread that is merely woken comes 25 microseconds late, and overlaps with no other.
package func race(_ bodies: [@Sendable () -> Void]) { race(rounds: [bodies]) }

/// Runs rounds of equally many bodies, one round after the other, on threads that live for all of them.
///
/// A thread costs more than most rounds: many short rounds in one call are some ten times as many per second.
package func race(rounds: [[@Sendable () -> Void]]) {
    let runners = rounds.first?.count ?? 0
    let arrived = AtomicWord(0)
    let finished = DispatchGroup()
    for runner in 0..<runners {
        finished.enter()
        Thread.detachNewThread {
            var meeting: UInt = 0
            for round in rounds {
                meeting += UInt(runners)
                _ = arrived.fetchAdd(1)
                spin { arrived.loadAcquiring() >= meeting }
                round[runner]()
            }
            finished.leave()
        }
    }
    finished.wait()
    waitForDeputies()
}

extension DispatchGroup {
    /// Runs a body on a thread of its own, which the group waits for.
    package func onThread(_ body: @escaping @Sendable () -> Void) {
        enter()
        Thread.detachNewThread {
            body()
            self.leave()
        }
    }
}

/// Waits spinning until a condition holds, which another thread is about to make true.
package func spin(until condition: () -> Bool) {
    var spins = 0
    while !condition() {
        spins += 1
        // With more threads than processors, the other thread may need this one's processor.
        if spins > 10_000 { sched_yield() }
    }
}

/// Keeps the calling thread busy.
package func spin(nanoseconds: UInt64) {
    let end = MonotonicClock.now() + nanoseconds
    while MonotonicClock.now() < end {}
}

package func race(_ bodies: (@Sendable () -> Void)...) { race(bodies) }

/// Spends a moment, of another length in each round, so that two threads that race meet in either order.
package func jitter(_ round: Int) {
    let word = AtomicWord(0)
    for _ in 0..<round % 64 { _ = word.fetchAdd(1) }
}

/// Runs a race of two threads in rounds.
///
/// - Parameters:
///   - prepare: makes the subject that the bodies of one round share.
///   - check: runs when both bodies have returned.
package func raceRounds<Subject>(
    _ rounds: Int, prepare: () -> Subject, _ first: @escaping (Subject) -> Void,
    _ second: @escaping (Subject) -> Void, check: (Subject) -> Void
) {
    nonisolated(unsafe) let bodies = (first, second)
    for _ in 0..<rounds {
        nonisolated(unsafe) let subject = prepare()
        race({ bodies.0(subject) }, { bodies.1(subject) })
        check(subject)
    }
}

/// Runs a body on a thread with a stack of 8 MiB (law L8), waits for it, and returns its result.
///
/// Expectations belong outside: on another thread a failure would not name its test.
package func onEightMebibytes<Result>(_ body: @escaping @Sendable () -> Result) -> Result {
    let finished = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result?
    let thread = Thread {
        result = body()
        finished.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    finished.wait()
    return result!
}

/// Waits until a condition holds, on the calling thread. Producers that have returned may have left events to a deputy (law L12).
///
/// - Returns: false if it does not hold after some seconds.
package func settles(_ condition: () -> Bool) -> Bool {
    for _ in 0..<40_000 {
        if condition() { return true }
        usleep(500)
    }
    return condition()
}

/// Waits until a condition holds.
package func eventually(_ condition: () -> Bool) async -> Bool {
    // Most conditions come true within microseconds.
    var pause: UInt64 = 50_000
    var waited: UInt64 = 0
    while waited < 20_000_000_000 {
        if condition() { return true }
        try? await Task.sleep(nanoseconds: pause)
        waited += pause
        pause = min(pause * 2, 2_000_000)
    }
    return condition()
}

/// Waits until a number stays as it is for 20 ms, for some seconds at most: the work of an earlier test may still be ending on
/// other threads.
package func quiet(_ number: () -> Int) async {
    var (unchanged, before) = (0, number())
    for _ in 0..<3_000 where unchanged < 10 {
        try? await Task.sleep(nanoseconds: 2_000_000)
        let now = number()
        unchanged = now == before ? unchanged + 1 : 0
        before = now
    }
}

/// Notices calls that overlap.
package final class OverlapDetector: @unchecked Sendable {
    private let inside = AtomicWord(0)
    private let found = AtomicWord(0)

    package init() {}

    package var overlapped: Bool { found.loadAcquiring() != 0 }

    package func enter() {
        if inside.fetchAdd(1) != 0 { found.storeReleasing(1) }
    }

    package func leave() { _ = inside.fetchAdd(0 &- 1) }
}

/// A counter for any thread.
package final class AtomicCounter: @unchecked Sendable {
    private let word: AtomicWord

    package init(_ value: Int) { word = AtomicWord(UInt(bitPattern: value)) }

    package var value: Int { Int(bitPattern: word.loadAcquiring()) }

    /// Returns the new value.
    @discardableResult
    package func decrement() -> Int { Int(bitPattern: word.fetchAdd(0 &- 1)) - 1 }

    package func increment() { add(1) }

    package func add(_ count: Int) { _ = word.fetchAdd(UInt(bitPattern: count)) }
}
