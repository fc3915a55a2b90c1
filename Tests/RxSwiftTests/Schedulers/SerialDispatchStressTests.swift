// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct SerialDispatchStressTests {
    /// Three times as many busy threads as processors, so that the kernel preempts submitters and workers anywhere, also inside
    /// libdispatch. Each round of each thread releases a scheduler and its queue right behind the last wake-up.
    @Test("A wake-up that races with the end of a turn on preempted threads is not lost")
    func wakeUpRace() {
        let threads = max(12, 3 * ProcessInfo.processInfo.activeProcessorCount)
        let end = MonotonicClock.now() + 5_000_000_000
        let wrong = AtomicCounter(0)
        let rounds = AtomicCounter(0)
        race(
            (0..<threads).map { _ in
                {
                    while MonotonicClock.now() < end {
                        if !Self.eventsCrossASchedulerOfTheirOwn() { wrong.increment() }
                        rounds.increment()
                    }
                }
            })
        #expect(wrong.value == 0)
        #expect(rounds.value >= threads)
    }

    /// Returns whether all events arrived, in order.
    private static func eventsCrossASchedulerOfTheirOwn() -> Bool {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "stress")
        let subject = PublishSubject<Int>()
        let completed = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var next = 0
        nonisolated(unsafe) var isInOrder = true
        let subscription = subject.observe(on: scheduler).subscribe(
            onNext: { number in
                if number != next { isInOrder = false }
                next += 1
            },
            onCompleted: { completed.signal() })
        for number in 0..<2_000 { subject.onNext(number) }
        subject.onCompleted()
        completed.wait()
        subscription.dispose()
        return isInOrder && next == 2_000
    }

    /// libdispatch counts the runs of a `DispatchWorkItem` in 32 bits and crashes at the wrap. The block of a turn has no such
    /// count: a turn changes none of its bytes, so that no count can wrap.
    @Test("The block submitted for each turn keeps no count") func constantBlock() {
        let queue = DispatchQueue(label: "turns")
        let turns = DispatchRunQueue(queue: queue)
        /// One turn, from an idle queue to an idle queue.
        func drainBatch() {
            turns.submit(WorkJob { _, isRejected in !isRejected })
            // This runs behind the block of the turn. As soon as it has run, libdispatch has released that block.
            queue.sync {}
        }
        drainBatch()
        // No generic function can take a block here: without Objective-C its type has no metadata.
        guard let turn = turns.block else {
            Issue.record("no turn ran")
            return
        }
        let block = unsafeBitCast(turn, to: UnsafeRawPointer.self)
        // A block begins with its class, flags (with the count of its references), two function pointers and a descriptor,
        // whose second word is the size of the block.
        let descriptor = block.load(fromByteOffset: 24, as: UnsafeRawPointer.self)
        let size = descriptor.load(fromByteOffset: 8, as: Int.self)
        let before = [UInt8](UnsafeRawBufferPointer(start: block, count: size))
        for _ in 0..<1_000 { drainBatch() }
        let after = [UInt8](UnsafeRawBufferPointer(start: block, count: size))
        #expect(before == after)
        #expect(size < 64)
    }
}
