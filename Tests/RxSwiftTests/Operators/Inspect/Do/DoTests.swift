// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import TestSupport
import Testing

@Suite struct DoTests {
    /// Logs the calls of all closures and the events of the result in one list.
    private func log<Element>(_ source: Observable<Element>, act: (any Disposable) -> Void = { _ in }) -> [String] {
        let log = EventLog()
        let subscription = log.observe(
            source.do(
                onNext: { log.note("onNext \($0)") }, afterNext: { log.note("afterNext \($0)") },
                onError: { log.note("onError \($0)") }, afterError: { log.note("afterError \($0)") },
                onCompleted: { log.note("onCompleted") }, afterCompleted: { log.note("afterCompleted") },
                onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
                onDispose: { log.note("onDispose") }))
        act(subscription)
        return log.lines
    }

    @Test("The closures surround the events of a subject") func order() {
        let subject = PublishSubject<Int>()
        let lines = log(subject) { subscription in
            subject.onNext(1)
            subject.onCompleted()
            subscription.dispose()
        }
        #expect(
            lines == [
                "onSubscribe", "onSubscribed", "onNext 1", "1", "afterNext 1", "onCompleted", "completed",
                "afterCompleted", "onDispose",
            ])
    }

    @Test("For a synchronous source `onSubscribed` comes before `onDispose`") func synchronous() {
        #expect(
            log(sequence(1, error: .expected)) == [
                "onSubscribe", "onNext 1", "1", "afterNext 1", "onError expected", "error(expected)",
                "afterError expected", "onSubscribed", "onDispose",
            ])
    }

    @Test("An ended subject still calls `onDispose` last") func endedSubject() {
        let subject = PublishSubject<Int>()
        subject.onCompleted()
        #expect(
            log(subject) == ["onSubscribe", "onCompleted", "completed", "afterCompleted", "onSubscribed", "onDispose"])
    }

    @Test("Two disposals call `onDispose` once") func disposal() {
        let lines = log(Observable<Int>.never()) { subscription in
            subscription.dispose()
            subscription.dispose()
        }
        #expect(lines == ["onSubscribe", "onSubscribed", "onDispose"])
    }

    @Test("A race of disposal and completion calls `onDispose` once") func disposalRace() {
        for _ in 0..<2_000 {
            let subject = PublishSubject<Int>()
            let disposals = Counter()
            let subscription = subject.do(onDispose: { disposals.add() }).subscribe()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { subscription.dispose() } else { subject.onCompleted() }
            }
            #expect(disposals.count == 1)
        }
    }

    private final class Counter: @unchecked Sendable {
        private let queue = DispatchQueue(label: "DoTests.Counter")
        private var value = 0
        func add() { queue.sync { value += 1 } }
        var count: Int { queue.sync { value } }
    }

    @Test("The source is disposed of before `onDispose` runs") func sourceFirst() {
        var log: [String] = []
        let source = Observable<Int>.create { _ in Disposables.create { log.append("source") } }
        source.do(onDispose: { log.append("onDispose") }).subscribe().dispose()
        #expect(log == ["source", "onDispose"])
    }

    @Test("An error of a closure ends the result") func closureThrows() {
        #expect(events(of: sequence(1).do(onNext: { _ in throw Failure.other })) == ["error(other)"])
        #expect(events(of: sequence(1, 2).do(afterNext: { _ in throw Failure.other })) == ["1", "error(other)"])
        #expect(events(of: sequence(1).do(onCompleted: { throw Failure.other })) == ["1", "error(other)"])
        #expect(
            events(of: sequence(1, error: .expected).do(onError: { _ in throw Failure.other })) == [
                "1", "error(other)",
            ])
    }

    @Test("An error of `onNext` does not reach `onError`") func onErrorCalls() {
        var errors: [String] = []
        let source = sequence(1).do(onNext: { _ in throw Failure.other }, onError: { errors.append("\($0)") })
        #expect(events(of: source) == ["error(other)"] && errors == [])
    }

    @Test("An error of a closure after the end is dropped") func lateErrors() {
        #expect(events(of: sequence(1).do(afterCompleted: { throw Failure.other })) == ["1", "completed"])
        #expect(
            events(of: sequence(1, error: .expected).do(afterError: { _ in throw Failure.other })) == [
                "1", "error(expected)",
            ])
    }

    @Test("No event follows a disposal in `onNext`") func closureDisposes() {
        let subject = PublishSubject<Int>()
        var after: [Int] = []
        let log = EventLog { dispose in
            subject.do(onNext: { if $0 == 2 { dispose() } }, afterNext: { after.append($0) })
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(log.lines == ["1"] && after == [1, 2])
    }

    @Test("Without closures the events come through unchanged") func noClosures() {
        #expect(events(of: sequence(1).do()) == ["1", "completed"])
    }

    /// The fault: `do` without closures was not an operator, and what was subscribed to inside the element ran at once.
    @Test("Without closures, work on the current thread waits for the subscription as below any operator")
    func noClosuresOnTrampoline() {
        var lines: [String] = []
        let subscription = Observable.just(1).do().subscribe(onNext: { _ in
            _ = Observable.from([7, 8]).subscribe(onNext: { lines.append("\($0)") })
            lines.append("returned")
        })
        #expect(lines == ["returned", "7", "8"])
        subscription.dispose()
    }
}
