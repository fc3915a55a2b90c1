// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift
import RxTest
import Terminal
import Testing

struct KeyInputTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.01, simulateProcessingDelay: false)

    /// The keys of chunks, drawn with a tick for 10 milliseconds: e is Escape, u is Up.
    private func keys(_ diagram: String) throws -> String {
        let chunks = try scheduler.createHotObservable(
            marbles: diagram, values: ["E": "\u{1B}", "A": "[A", "a": "a"], start: 0)
        let observer = scheduler.createObserver(Key.self)
        let subscription = chunks.map { ByteChunk($0) }.keys(scheduler: scheduler).subscribe(observer)
        scheduler.start()
        subscription.dispose()
        return try observer.events.marbles(values: ["e": .escape, "u": .up, "a": .character("a")])
    }

    @Test("ESC alone is the key Escape after 50 milliseconds")
    func escape() throws {
        #expect(try keys("--E-------a-|") == "-------e--a----|")
    }

    @Test("ESC is the beginning of a sequence if the rest comes in time")
    func sequence() throws {
        #expect(try keys("--E---A-a-|") == "------u-a----|")
    }
}
