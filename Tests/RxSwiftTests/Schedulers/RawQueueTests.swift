// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import TestSupport
import Testing

/// Work of a dispatch scheduler beside work that others put on its queue: a known difference from RxSwift.
@Suite struct RawQueueTests {
    @Test("observe(on:) delivers a burst in one turn of the raw queue") func burstOnRawQueue() {
        let queue = DispatchQueue(label: "known differences")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "own")
        let notes = EventLog()
        let done = DispatchSemaphore(value: 0)
        let subject = PublishSubject<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(
            onNext: { notes.note("\($0)") }, onCompleted: { done.signal() })
        queue.suspend()
        for element in 1...3 {
            subject.onNext(element)
            queue.async { notes.note("raw") }
        }
        subject.onCompleted()
        queue.resume()
        done.wait()
        queue.sync {}
        #expect(notes.lines.filter { $0 != "raw" } == ["1", "2", "3"])
        #expect(notes.lines != ["1", "raw", "2", "raw", "3", "raw"])
        subscription.dispose()
    }

    @Test("Actions of a dispatch scheduler run in one turn of the raw queue") func actionsOnRawQueue() {
        let queue = DispatchQueue(label: "known differences")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "own")
        let notes = EventLog()
        queue.suspend()
        for number in 1...3 {
            _ = scheduler.schedule(number) {
                notes.note("\($0)")
                return Disposables.create()
            }
            queue.async { notes.note("raw") }
        }
        queue.resume()
        queue.sync {}
        #expect(notes.lines.filter { $0 != "raw" } == ["1", "2", "3"])
        #expect(notes.lines != ["1", "raw", "2", "raw", "3", "raw"])
    }
}
