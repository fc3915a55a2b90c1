// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct HostEventLoopConformanceTests {
    @Test("A thread with a queue keeps all promises") func conformingLoop() {
        #expect(HostEventLoopConformance.violations(of: { ThreadHostLoop() }, end: { $0.end() }) == [])
    }

    @Test("A serial queue keeps the promises of a loop that uses several threads") func queue() {
        #expect(HostEventLoopConformance.violations(of: { QueueLoop() }, usesOneThread: false) == [])
    }

    @Test("A broken promise is named", arguments: BrokenHostLoop.Fault.allCases)
    func brokenLoop(fault: BrokenHostLoop.Fault) {
        let limits = ConformanceLimits(waiting: 1_000_000_000, lateness: 150_000_000, usesOneThread: true)
        let violations = HostEventLoopConformance.violations(
            of: { BrokenHostLoop(fault) }, end: { $0.end() }, fault.subject, limits)
        #expect(violations.contains { $0.contains(fault.violation) }, "\(violations)")
    }

    @Test("All checks end for a loop that blocks its callers", arguments: [BrokenHostLoop.Fault.blocks, .losesBodies])
    func brokenLoopInAllChecks(fault: BrokenHostLoop.Fault) {
        let violations = HostEventLoopConformance.violations(
            of: { BrokenHostLoop(fault) }, end: { $0.end() }, limit: .milliseconds(200))
        #expect(!violations.isEmpty)
    }
}

extension BrokenHostLoop.Fault {
    /// The check that finds it.
    var subject: ConformanceCheck.Subject {
        switch self {
        case .losesBodies, .runsTwice, .swapsBodies, .blocks, .usesTwoThreads, .isNeverCurrent, .isAlwaysCurrent:
            .oneThread
        case .waitsForTheBody: .busyLoop
        case .runsInside, .waitsInside: .bodiesFromInside
        case .losesBodiesUnderContention, .overlaps: .concurrentThreads
        case .losesDelayedBodies, .isEarly, .isLate: .delays
        case .keepsBodies, .keepsDelayedBodies: .releases
        case .keepsBodiesAtItsEnd, .keepsBodiesBehindItsEnd, .releasesUnderALock, .runsDelayedBodiesAtItsEnd,
            .runsBehindItsEnd,
            .neverEnds:
            .end
        }
    }

    /// What tells that it was found.
    var violation: String {
        switch self {
        case .losesBodies: "once: 1000 bodies must run"
        case .losesBodiesUnderContention: "several threads: 10000 bodies must run"
        case .losesDelayedBodies: "delays: 10000 bodies must run"
        case .runsTwice: "once: a body must run once; one ran 2 times"
        case .swapsBodies: "order of one thread: bodies must run in the order"
        case .runsInside: "enqueue: must return before the body runs"
        case .waitsInside: "enqueue: must return when a body calls it"
        case .waitsForTheBody: "enqueue while the loop runs a body: must return; it did not"
        case .blocks: "enqueue: must return; it did not"
        case .usesTwoThreads: "one thread: all bodies of a loop must run on one thread; they ran on 2"
        case .overlaps: "one at a time: a body must not begin while another one runs"
        case .isNeverCurrent: "isCurrent: must be true in a body"
        case .isAlwaysCurrent: "isCurrent: must be false on a thread that is not the loop"
        case .isEarly: "delays: a body must not run before its delay has passed"
        case .isLate: "delays: a body must run no more than 150.000 ms late"
        case .keepsBodies, .keepsDelayedBodies:
            "release: bodies must be released after they ran; the loop still holds 100"
        case .keepsBodiesAtItsEnd: "end: bodies that wait must be run or released; the loop still holds"
        case .keepsBodiesBehindItsEnd: "after the end: bodies must be released; the loop still holds"
        case .releasesUnderALock, .neverEnds: "end: must return; it did not"
        case .runsDelayedBodiesAtItsEnd: "end: a body whose delay has not passed must be released; it ran"
        case .runsBehindItsEnd: "after the end: bodies must be released; one ran"
        }
    }
}

/// A serial queue of libdispatch, which runs its work on any thread.
private final class QueueLoop: HostEventLoop, @unchecked Sendable {
    private let queue = DispatchQueue(label: "loop")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: DispatchWorkItem(block: body)) }

    func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay)), execute: DispatchWorkItem(block: body))
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
