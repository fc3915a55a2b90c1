// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Tests rows of operators each of which is shared, as a `Driver` makes them.
@Suite struct BypassTests {
    private final class Calls: @unchecked Sendable {
        var made = 0
    }

    /// Applies the operator that stands at an index of the row.
    private static func step(_ source: Observable<Int>, _ index: Int, _ calls: Calls) -> Observable<Int> {
        let made: Observable<Int>
        switch index % 3 {
        case 0:
            made = source.map { element in
                calls.made += 1
                return element + 1
            }
        case 1:
            made = source.filter { element in
                calls.made += 1
                return element % 5 != 0
            }
        default:
            made = source.compactMap { element in
                calls.made += 1
                return element % 7 == 0 ? nil : element * 3
            }
        }
        return made
    }

    private static func shared(_ source: Observable<Int>, derivedFrom upstream: Observable<Int>?) -> Observable<Int> {
        let result = source.share(replay: 1)
        if let upstream { result.shares(derivedFrom: upstream) }
        return result
    }

    /// Makes a row of five shared operators, and keeps those whose bits are set in `held`.
    private static func row(
        _ source: Observable<Int>, held: Int, calls: Calls
    ) -> (last: Observable<Int>, kept: [Observable<Int>]) {
        var kept: [Observable<Int>] = []
        var last = shared(source, derivedFrom: nil)
        for index in 0..<5 {
            last = shared(step(last, index, calls), derivedFrom: last)
            if held & (1 << index) != 0 { kept.append(last) }
        }
        return (last, kept)
    }

    @Test("A held intermediate share is shared by all its subscribers", arguments: 0..<32)
    func heldShares(held: Int) {
        let source = PublishSubject<Int>()
        let plainCalls = Calls()
        var plain: Observable<Int> = source
        for index in 0..<5 { plain = Self.step(plain, index, plainCalls) }
        let expected = EventLog(plain)
        let calls = Calls()
        let (last, kept) = Self.row(source, held: held, calls: calls)
        let logs = [EventLog(last)] + kept.map { EventLog($0) } + [EventLog(last)]
        for element in 1...20 { source.onNext(element) }
        #expect(logs[0].lines == expected.lines)
        #expect(logs.last!.lines == expected.lines)
        #expect(calls.made == plainCalls.made, "each closure runs once per element, however many subscribe")
        source.onCompleted()
        #expect(logs.allSatisfy { $0.lines.last == "completed" })
        expected.dispose()
        for log in logs { log.dispose() }
        #expect(!source.hasObservers)
    }

    #if TRACE_RESOURCES
        /// In a process of its own, since the count is the process's.
        @Test("Only the last share of a row is connected") func connections() async {
            await #expect(processExitsWith: .success) {
                func liveDuringSubscription(held: Int) -> Int {
                    let source = PublishSubject<Int>()
                    let (last, kept) = BypassTests.row(source, held: held, calls: Calls())
                    let before = Int(Resources.total)
                    let subscription = last.subscribe()
                    defer { subscription.dispose() }
                    return withExtendedLifetime(kept) { Int(Resources.total) - before }
                }
                // A connection, its core and a subscription for each share; a stage for each operator that is not fused.
                precondition(liveDuringSubscription(held: 0) + 5 * 3 < liveDuringSubscription(held: 0b11111))
            }
        }
    #endif

    @Test("A share released between two subscriptions is bypassed") func releasedShares() {
        let source = PublishSubject<Int>()
        let calls = Calls()
        var (last, kept) = Self.row(source, held: 0b11111, calls: calls)
        for round in 1...6 {
            let log = EventLog(last)
            source.onNext(round + 20)
            #expect(log.lines.count <= 1)
            log.dispose()
            #expect(!source.hasObservers)
            if !kept.isEmpty { kept.removeFirst() }
        }
        last = .never()
    }

    @Test("A share that only subscriptions hold stays shared") func subscribedShare() {
        let source = PublishSubject<Int>()
        let calls = Calls()
        var middle: Observable<Int>? = Self.shared(Self.step(source, 0, calls), derivedFrom: nil)
        let log = EventLog(middle!)
        let last = Self.shared(Self.step(middle!, 0, calls), derivedFrom: middle!)
        middle = nil
        let lastLog = EventLog(last)
        source.onNext(1)
        #expect(log.text == "2")
        #expect(lastLog.text == "3")
        #expect(calls.made == 2, "the subscription holds what it is made from, so it is shared")
        log.dispose()
        source.onNext(2)
        #expect(lastLog.text == "3 4")
        lastLog.dispose()
        #expect(!source.hasObservers)
    }

    @Test("A share of the scope `forever` is not bypassed") func lastingShare() {
        let source = PublishSubject<Int>()
        let lasting = source.share(replay: 1, scope: .forever)
        #expect(lasting.bypassableShare == nil)
        #expect(source.share(replay: 1).bypassableShare != nil)
        #expect(source.bypassableShare == nil)
    }

    @Test("A subscription to a long row takes bounded stack") func longRow() {
        let count = stepCount(20_000, debug: 1_500)
        let sum: Int = onEightMebibytes {
            let source = PublishSubject<Int>()
            var last = Self.shared(source, derivedFrom: nil)
            for _ in 0..<count { last = Self.shared(last.map { $0 + 1 }, derivedFrom: last) }
            var result = 0
            let subscription = last.subscribe(onNext: { result = $0 })
            source.onNext(0)
            subscription.dispose()
            return result
        }
        #expect(sum == count)
    }
}
