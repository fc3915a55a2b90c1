import CTestSupport
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// An action is kept apart from its state, whatever the type of that: each has to arrive, and to be released in time.
@Suite struct ActionStateTests {
    /// The fault: in optimized code a C type that counts its own references passes for a class of Swift's, which counts them in
    /// a word of the object.
    @Test(arguments: [false, true])
    func aStateThatCountsItsOwnReferencesIsHeldByThem(_ isTimer: Bool) {
        onLoop(.epoll) { scheduler in
            let seen = OneShot()
            let (isBusy, isLetGoOf) = (OneShot(), OneShot())
            scheduler.run {
                isBusy.fire()
                _ = isLetGoOf.wait()
            }
            #expect(isBusy.wait())
            let before = rx_test_foreign_count()
            schedule(rx_test_make_foreign(), isTimer, on: scheduler, seen)
            #expect(rx_test_foreign_count() == before + 1)
            isLetGoOf.fire()
            #expect(seen.wait())
            #expect(soon { rx_test_foreign_count() == before })
        }
    }

    @inline(never)
    private func schedule(
        _ object: RxTestForeign, _ isTimer: Bool, on scheduler: IOUringScheduler, _ seen: OneShot
    ) {
        nonisolated(unsafe) let object = object
        let action = { @Sendable (object: RxTestForeign) -> any Disposable in
            if object.words == (7, 7), object.references > 0 { seen.fire() }
            return Disposables.create()
        }
        if isTimer {
            _ = scheduler.scheduleRelative(object, dueTime: .milliseconds(1), action: action)
        } else {
            _ = scheduler.schedule(object, action: action)
        }
    }

    @Test func statesOfAllKindsArrive() {
        onLoop(.epoll) { scheduler in
            let object = Thing(number: 7)
            arrives(object, on: scheduler) { $0.number == 7 }
            arrives(object as AnyObject, on: scheduler) { ($0 as? Thing)?.number == 7 }
            arrives(object as any Numbered, on: scheduler) { $0.number == 7 }
            arrives(object as any Numbered & Named, on: scheduler) { $0.number == 7 }
            arrives(object as NamedThing & Numbered, on: scheduler) { $0.number == 7 }
            arrives(Optional(object), on: scheduler) { $0?.number == 7 }
            arrives(Thing?.none, on: scheduler) { $0 == nil }
            arrives(Thing.self as NamedThing.Type, on: scheduler) { $0 == Thing.self }
            arrives(Thing.self as any Numbered.Type, on: scheduler) { $0 == Thing.self }
            arrives({ object.number }, on: scheduler) { $0() == 7 }
            arrives(RxError.timeout as any Error, on: scheduler) { $0 is RxError }
            arrives((Int32(1), Int16(-2)), on: scheduler) { $0 == (1, -2) }
            arrives(SIMD2<Float>(1, 2), on: scheduler) { $0 == [1, 2] }
            arrives(Int8?.none, on: scheduler) { $0 == nil }
            arrives((1, 2), on: scheduler) { $0 == (1, 2) }
        }
    }

    private func arrives<State>(
        _ state: State, on scheduler: IOUringScheduler, _ isRight: @escaping (State) -> Bool,
        location: SourceLocation = #_sourceLocation
    ) {
        nonisolated(unsafe) let (state, isRight) = (state, isRight)
        let arrived = OneShot()
        _ = scheduler.schedule(state) { state in
            if isRight(state) { arrived.fire() }
            return Disposables.create()
        }
        #expect(arrived.wait(), "\(State.self)", sourceLocation: location)
    }
}

private protocol Numbered: AnyObject {
    var number: Int { get }
}

private protocol Named: AnyObject {}

private class NamedThing: Named {}

private final class Thing: NamedThing, Numbered {
    let number: Int

    init(number: Int) { self.number = number }
}
