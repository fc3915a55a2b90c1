// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Sends each number so many times, and their sum at the end. Zero is an error, as is a sum of 100.
private final class Repeating: Transducer {
    private var sum = 0

    func next(_ element: Int, into sink: TransducerSink<Int, Int>) throws {
        if element == 0 { throw Failure.expected }
        sum += element
        for _ in 0..<element {
            if !sink.emit(element) { return }
        }
    }

    func completed(into sink: TransducerSink<Int, Int>) throws {
        if sum == 100 { throw Failure.other }
        _ = sink.emit(sum)
    }
}

/// Passes on each number, and as its own end would, quiesces the chain behind the first one.
private final class Quiescing: Transducer {
    let log: EventLog

    init(_ log: EventLog) { self.log = log }

    func next(_ element: Int, into sink: TransducerSink<Int, Int>) {
        log.note("\(sink.pass(element))")
        sink.quiesceChain()
        log.note("\(sink.pass(element))")
    }

    func completed(into sink: TransducerSink<Int, Int>) {}
}

@Suite struct TransducerObservableTests {
    private func repeating(_ source: Observable<Int>) -> Observable<Int> {
        TransducerObservable(source: source) { Repeating() }
    }

    @Test("Each subscription has a transducer, which emits any number of elements") func anyNumberOfElements() {
        let source = repeating(.of(1, 3))
        for _ in 0..<2 { #expect(text(of: source) == "1 3 3 3 4 completed") }
    }

    /// The fault: behind the end of the chain, while another thread was about to cancel it, a transducer went on, and what it passed was lost.
    @Test("A transducer of a quiesced chain is told that no more is wanted") func quiesced() {
        let log = EventLog()
        let source = PublishSubject<Int>()
        let subscription = TransducerObservable(source: source) { Quiescing(log) }.subscribe()
        source.onNext(1)
        #expect(log.lines == ["wantsMore", "refused"])
        subscription.dispose()
        #expect(!source.hasObservers)
    }

    @Test("An error that a transducer throws ends the sequence") func throwingTransducer() {
        let source = PublishSubject<Int>()
        let log = EventLog(repeating(source))
        source.onNext(1)
        source.onNext(0)
        #expect(log.text == "1 error(expected)")
        #expect(!source.hasObservers)
        #expect(text(of: repeating(.just(100)).skip(100)) == "error(other)")
    }

    @Test("An error of the source passes without a call of completed") func sourceError() {
        #expect(text(of: repeating(sequence(2, error: .other))) == "2 2 error(other)")
    }

    @Test("A cancelled transducer emits nothing more") func cancellation() {
        let source = PublishSubject<Int>()
        let log = EventLog { dispose in repeating(source).do(onNext: { if $0 == 3 { dispose() } }) }
        source.onNext(1)
        source.onNext(3)
        #expect(log.text == "1")
        #expect(!source.hasObservers)
        #expect(text(of: repeating(.of(5, 7)).take(2)) == "5 5 completed")
    }

    @Test("A cancellation at the last element suppresses completion") func cancelAtLastElement() {
        let source = PublishSubject<Int>()
        let log = EventLog { dispose in
            self.repeating(source).do(afterNext: { if $0 == 5 { dispose() } })
        }
        source.onNext(2)
        source.onNext(3)
        source.onCompleted()
        #expect(log.text == "2 2 3 3 3 5")
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test("Nothing is left when the source is released") func noLeak() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let source = PublishSubject<Int>()
                    _ = TransducerObservableTests().repeating(source).subscribe()
                    source.onNext(1)
                }
                precondition(Resources.total == before, "\(Resources.census())")
            }
        }
    #endif
}
