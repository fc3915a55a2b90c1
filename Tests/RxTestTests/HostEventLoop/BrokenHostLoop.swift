// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift
import TestSupport

/// A loop that breaks one promise of `HostEventLoop`.
final class BrokenHostLoop: HostEventLoop, @unchecked Sendable {
    enum Fault: CaseIterable, Sendable {
        case losesBodies, losesBodiesUnderContention, losesDelayedBodies, runsTwice, swapsBodies
        case runsInside, waitsForTheBody, waitsInside, blocks, usesTwoThreads, overlaps
        case isNeverCurrent, isAlwaysCurrent
        case isEarly, isLate, keepsBodies, keepsDelayedBodies
        case keepsBodiesAtItsEnd, keepsBodiesBehindItsEnd, releasesUnderALock, runsDelayedBodiesAtItsEnd,
            runsBehindItsEnd, neverEnds
    }

    typealias Body = @Sendable () -> Void

    private let fault: Fault
    private let loop = ThreadHostLoop()
    private let otherLoop = ThreadHostLoop()
    private let count = AtomicCounter(0)
    private let callers = AtomicWord(0)
    private let hasEnded = AtomicWord(0)
    private let lock = Mutex()
    /// Under the lock.
    private var kept: [Body] = []
    private let endLock = DispatchSemaphore(value: 1)

    init(_ fault: Fault) { self.fault = fault }

    var isCurrent: Bool {
        switch fault {
        case .isNeverCurrent: false
        case .isAlwaysCurrent: true
        case .usesTwoThreads, .overlaps: loop.isCurrent || otherLoop.isCurrent
        default: loop.isCurrent
        }
    }

    func enqueue(_ body: @escaping Body) {
        count.increment()
        let number = count.value
        switch fault {
        case .losesBodies where number % 100 == 0: return
        case .losesBodiesUnderContention:
            let isAlone = callers.fetchAdd(1) == 0
            if isAlone {
                // Long enough for others to come in between.
                for _ in 0..<20 { spinHint() }
                loop.enqueue(body)
            }
            _ = callers.fetchAdd(0 &- 1)
        case .runsTwice:
            loop.enqueue {
                body()
                body()
            }
        case .swapsBodies where number % 2 == 0: loop.enqueue { [loop] in loop.enqueue(body) }
        case .runsInside where loop.isCurrent: body()
        case .waitsForTheBody, .waitsInside:
            if fault == .waitsInside, !loop.isCurrent { return loop.enqueue(body) }
            let isDone = DispatchSemaphore(value: 0)
            loop.enqueue {
                body()
                isDone.signal()
            }
            isDone.wait()
        case .blocks: DispatchSemaphore(value: 0).wait()
        case .usesTwoThreads:
            // In turns: one body waits for the one before.
            let isDone = DispatchSemaphore(value: 0)
            let before = previous(replacedBy: isDone)
            (number % 2 == 0 ? loop : otherLoop).enqueue {
                before?.wait()
                body()
                isDone.signal()
            }
        case .overlaps: (number % 2 == 0 ? loop : otherLoop).enqueue(body)
        case .keepsBodies: loop.enqueue(keep(body))
        case .keepsBodiesAtItsEnd: loop.enqueue(keepUntilRun(body))
        case .keepsBodiesBehindItsEnd where hasEnded.loadAcquiring() != 0: _ = keep(body)
        case .releasesUnderALock:
            endLock.wait()
            loop.enqueue(body)
            endLock.signal()
        case .runsBehindItsEnd where hasEnded.loadAcquiring() != 0: otherLoop.enqueue(body)
        default: loop.enqueue(body)
        }
    }

    func enqueue(afterNanoseconds delay: Int64, _ body: @escaping Body) {
        count.increment()
        let number = count.value
        switch fault {
        case .losesDelayedBodies where number % 1_000 == 0: return
        case .isEarly: loop.enqueue(afterNanoseconds: delay - min(delay, 1_000_000), body)
        case .isLate: loop.enqueue(afterNanoseconds: delay + 200_000_000, body)
        case .keepsDelayedBodies: loop.enqueue(afterNanoseconds: delay, keep(body))
        case .runsDelayedBodiesAtItsEnd:
            _ = keep(body)
            loop.enqueue(afterNanoseconds: delay, body)
        default: loop.enqueue(afterNanoseconds: delay, body)
        }
    }

    func end() {
        hasEnded.storeReleasing(1)
        switch fault {
        case .releasesUnderALock:
            endLock.wait()
            loop.end()
            endLock.signal()
        case .runsDelayedBodiesAtItsEnd:
            for body in takeKept() { loop.enqueue(body) }
            let isDone = DispatchSemaphore(value: 0)
            loop.enqueue { isDone.signal() }
            isDone.wait()
            loop.end()
        case .neverEnds: DispatchSemaphore(value: 0).wait()
        default: loop.end()
        }
    }

    /// Returns a body that does the same, and stays in memory.
    private func keep(_ body: @escaping Body) -> Body {
        lock.withLock { kept.append(body) }
        return body
    }

    /// Returns a body that does the same, and stays in memory until it has run.
    private func keepUntilRun(_ body: @escaping Body) -> Body {
        let held = Unmanaged.passRetained(HeldBody(body))
        return { held.takeRetainedValue().body() }
    }

    private func takeKept() -> [Body] {
        lock.withLock {
            defer { kept = [] }
            return kept
        }
    }

    /// Under the lock.
    private var last: DispatchSemaphore?

    private func previous(replacedBy next: DispatchSemaphore) -> DispatchSemaphore? {
        lock.withLock {
            defer { last = next }
            return last
        }
    }

    private final class HeldBody {
        let body: Body

        init(_ body: @escaping Body) { self.body = body }
    }
}
