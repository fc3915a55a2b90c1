// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import TestSupport
import Testing

/// Elements that say that they hold much.
@Suite struct HeavyElementsTests {
    private struct Slice: Weighted {
        let number: Int
        /// As that of a slice of a large piece of memory, which all slices share.
        var weightInBytes: Int { 64 << 10 }
    }

    /// The fault: each had a chunk of the queue for itself, with room for 512.
    @Test("Heavy elements that wait in a hop take little memory besides") func hop() {
        let queue = DispatchQueue(label: "blocked")
        let (gate, done) = (OneShot(), OneShot())
        queue.async { _ = gate.wait() }
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "blocked")
        let subject = PublishSubject<Slice>()
        let received = Guarded<[Int]>([])
        let subscription = subject.observe(on: scheduler)
            .subscribe(onNext: { slice in received.change { $0.append(slice.number) } }, onDisposed: done.fire)
        let before = residentBytes()
        for number in 0..<20_000 { subject.onNext(Slice(number: number)) }
        if !hasSanitizer { #expect(residentBytes() - before < 24 << 20) }
        subject.onCompleted()
        gate.fire()
        #expect(done.wait())
        #expect(received.value == Array(0..<20_000))
        subscription.dispose()
    }
}
