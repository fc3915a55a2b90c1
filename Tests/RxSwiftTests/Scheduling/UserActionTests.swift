// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// An action with a state of each kind, in the expected layout of the runtime and in an unknown one.
@Suite(.serialized) struct UserActionTests {
    private final class Object {
        let number: Int
        let deinits: AtomicCounter

        init(_ number: Int, _ deinits: AtomicCounter) {
            self.number = number
            self.deinits = deinits
        }

        deinit { deinits.increment() }
    }

    private struct Large { var numbers = (1, 2, 3, 4) }

    private func inLayout<Result>(_ isKnown: Bool, _ body: () -> Result) -> Result {
        isKnown ? body() : RuntimeLayout.withoutAssumptions(body)
    }

    @Test("Each kind of state reaches its action", arguments: [true, false]) func anyState(isKnown: Bool) {
        let deinits = AtomicCounter(0)
        let scheduler = HistoricalScheduler()
        var seen: [Int] = []
        func keep(_ number: Int) -> any Disposable {
            seen.append(number)
            return Disposables.create()
        }
        inLayout(isKnown) {
            _ = scheduler.schedule(Object(1, deinits)) { keep($0.number) }
            _ = scheduler.schedule(2) { keep($0) }
            _ = scheduler.schedule(true) { keep($0 ? 3 : 0) }
            _ = scheduler.schedule(()) { _ in keep(4) }
            _ = scheduler.schedule("five") { keep($0.count + 1) }
            _ = scheduler.schedule(Large()) { keep($0.numbers.3 + 2) }
            _ = scheduler.schedule([Object(7, deinits)]) { keep($0[0].number) }
            scheduler.schedule(Object(8, deinits)) { keep($0.number) }.dispose()
            scheduler.start()
        }
        #expect(seen == [1, 2, 3, 4, 5, 6, 7])
        #expect(deinits.value == 3)
    }

    @Test("dispose reaches the disposable that an action returned", arguments: [true, false])
    func returnedDisposable(isKnown: Bool) {
        let scheduler = HistoricalScheduler()
        let disposals = AtomicCounter(0)
        inLayout(isKnown) {
            let kept = scheduler.schedule(1) { _ in Disposables.create { disposals.increment() } }
            let empty = scheduler.schedule(2) { _ in Disposables.create() }
            scheduler.start()
            #expect(disposals.value == 0)
            kept.dispose()
            empty.dispose()
        }
        #expect(disposals.value == 1)
    }
}
