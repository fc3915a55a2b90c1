// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct SampleTests {
    static func model(_ moves: [Move], defaultValue: Int? = nil) -> String {
        var latest: Int?
        var isAtEnd = false
        var lines: [String] = []
        for move in moves {
            switch (move.kind, move.isOfOther) {
            case (.next, false): latest = move.number
            case (.completed, false): isAtEnd = true
            case (.next, true), (.completed, true):
                if let element = latest ?? defaultValue { lines.append("\(element)") }
                latest = nil
                if isAtEnd { return (lines + ["completed"]).joined(separator: " ") }
            case (.error, _): return (lines + ["error(expected)"]).joined(separator: " ")
            }
        }
        return lines.joined(separator: " ")
    }

    @Test("Each sampler element makes the latest new element come") func picture() throws {
        try expectMarbles(
            source: "^1-23----|",
            second: "^-7--7-7---7",
            result: "^-1--3-----|"
        ) { source, second, _ in source.sample(second) }
    }

    @Test("The result equals that of a variable in all interleavings") func interleavings() {
        forAllInterleavingsOfBothRoles {
            $0.sample($1)
        } model: {
            Self.model($0)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("The default value takes the place of a missing element in all interleavings") func defaultValue() {
        forAllInterleavingsOfBothRoles {
            $0.sample($1, defaultValue: -1)
        } model: {
            Self.model($0, defaultValue: -1)
        } mismatch: { steps, text, expected in
            Issue.record("\(steps): \(text), not \(expected)")
        }
    }

    @Test("No event follows a disposal in the observer") func disposal() {
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Void>()
        let transcript = EventLog()
        var subscription: (any Disposable)?
        subscription = source.sample(sampler).subscribe(
            onNext: {
                transcript.note("\($0)")
                subscription?.dispose()
            }, onCompleted: { transcript.note("completed") })
        source.onNext(1)
        source.onCompleted()
        sampler.onNext(())
        #expect(transcript.text == "1")
        #expect(!sampler.hasObservers)
    }

    @Test("A race with the sampler sends no element twice") func samplerRace() {
        let count = 20_000
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Int>()
        let detector = OverlapDetector()
        var last = -1
        var isRising = true
        var completed = 0
        let subscription = source.sample(sampler).subscribe(
            onNext: { element in
                detector.enter()
                if element <= last { isRising = false }
                last = element
                detector.leave()
            }, onCompleted: { completed += 1 })
        race([
            {
                for number in 0..<count { source.onNext(number) }
                source.onCompleted()
            },
            { for number in 0..<count { sampler.onNext(number) } },
        ])
        sampler.onNext(0)
        #expect(last == count - 1)
        #expect(isRising)
        #expect(completed == 1)
        #expect(!detector.overlapped)
        subscription.dispose()
    }

    @Test("Ticks that come while the source's thread delivers take no memory, and none is missed") func busyObserver() {
        let source = PublishSubject<Int>()
        let sampler = PublishSubject<Int>()
        let (isBusy, mayGoOn) = (OneShot(), OneShot())
        let isBusyWord = AtomicWord(0)
        let sourceThread = pthread_self()
        var last = -1
        let subscription = source.sample(sampler).subscribe(onNext: {
            last = $0
            guard pthread_self() == sourceThread, isBusyWord.loadRelaxed() == 0 else { return }
            isBusyWord.storeRelaxed(1)
            #expect(mayGoOn.wait())
        })
        let before = residentBytes()
        Thread.detachNewThread {
            // Until the thread of the source delivers an element for a tick.
            while isBusyWord.loadRelaxed() == 0 { sampler.onNext(0) }
            for tick in 0..<1_000_000 { sampler.onNext(tick) }
            if !hasSanitizer { #expect(residentBytes() - before < 8 << 20) }
            mayGoOn.fire()
            isBusy.fire()
        }
        var count = 0
        while isBusyWord.loadRelaxed() == 0 {
            source.onNext(count)
            count += 1
        }
        #expect(isBusy.wait())
        source.onNext(count)
        sampler.onNext(0)
        // The thread has spent its budget for other threads' ticks: a deputy may deliver the last ones (law L12).
        waitForDeputies()
        #expect(last == count)
        subscription.dispose()
    }

    @Test("A sampler without end lets its source go on, and takes no memory") func endlessSampler() {
        let before = residentBytes()
        let elements = SerialDispatchQueueScheduler(qos: .default)
        let ticks = SerialDispatchQueueScheduler(qos: .default)
        let source = Observable.range(start: 0, count: 100_000, scheduler: elements)
        let sampler = Observable.repeatElement((), scheduler: ticks)
        let end = OneShot()
        var last = -1
        var isRising = true
        let subscription = source.sample(sampler).subscribe(
            onNext: { element in
                if element <= last { isRising = false }
                last = element
            }, onCompleted: { end.fire() })
        #expect(end.wait())
        #expect(last == 99_999)
        #expect(isRising)
        if !hasSanitizer { #expect(residentBytes() - before < 16 << 20) }
        subscription.dispose()
    }
}
