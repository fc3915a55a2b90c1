// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

/// Schedulers store an action and a state of any type in a few words.
@Suite struct ActionStateTests {
    @Test("A state of any type reaches its action unchanged", arguments: ThreadedScheduler.allCases)
    func anyState(_ kind: ThreadedScheduler) {
        let scheduler = kind.make()
        expect(1 << 62, on: scheduler)
        expect(UInt8(200), on: scheduler)
        expect(Int32(-5), on: scheduler)
        expect(true, on: scheduler)
        expect(Double.pi, on: scheduler)
        expect(Float(1.5), on: scheduler)
        expect(SIMD2<Int32>(3, -4), on: scheduler)
        expect(SIMD4<Double>(1, 2, 3, 4), on: scheduler)
        expect(Character("ß"), on: scheduler)
        expect("a string that is too long to be kept in its own words", on: scheduler)
        expect([1, 2, 3], on: scheduler)
        expect(5 as Int?, on: scheduler)
        expect(nil as Int?, on: scheduler)
        expect(Suit.spades, on: scheduler)
        expect(Shape.circle(2), on: scheduler)
        expect(Small(flag: true, number: -7), on: scheduler)
        expect(Pair(first: 1, second: 2), on: scheduler)
        expect(ReleaseToken(3), on: scheduler)
        expect(ReleaseToken(3) as ReleaseToken?, on: scheduler)
        expect(nil as ReleaseToken?, on: scheduler)
        expect(Base(1), on: scheduler)
        expect(Derived(2) as Base, on: scheduler)
        expectOther(Int.self as Any.Type, on: scheduler) { $0 == Int.self }
        expectOther(Derived(2) as any Named, on: scheduler) { $0.name == "2" }
        expectOther(Derived(2) as Base & Named, on: scheduler) { $0.name == "2" }
        expectOther(Derived(2) as AnyObject, on: scheduler) { ($0 as? Derived)?.number == 2 }
        expectOther(Derived.self as Base.Type, on: scheduler) { $0 == Derived.self }
        expectOther(Derived.self as any Named.Type, on: scheduler) { $0 == Derived.self }
        expectOther(Pair(first: 1, second: 2) as Any, on: scheduler) { $0 as? Pair == Pair(first: 1, second: 2) }
        expectOther(RxError.timeout as any Error, on: scheduler) { $0 is RxError }
        expectOther((1, "two", 3.0), on: scheduler) { $0 == (1, "two", 3.0) }
        expectOther((), on: scheduler) { _ in true }
        let closure = { 7 }
        expectOther(closure, on: scheduler) { $0() == 7 }
    }

    @Test(
        "A scheduler releases the captures of an action after its run", arguments: ThreadedScheduler.allCases,
        Holding.allCases)
    func releaseAfterRun(kind: ThreadedScheduler, hold: Holding) {
        let scheduler = kind.make()
        let released = OneShot()
        let disposable = hold.schedule(ReleaseToken { released.fire() }, on: scheduler)
        #expect(released.wait(), "\(hold)")
        disposable.dispose()
    }

    @Test(
        "A scheduler releases the captures of an action disposed of before its run",
        arguments: ThreadedScheduler.allCases, Holding.allCases)
    func releaseAfterDispose(kind: ThreadedScheduler, hold: Holding) {
        // The library does not control the scheduler of a user.
        if kind == .users { return }
        let scheduler = kind.make()
        let released = OneShot()
        let (begun, gate) = (OneShot(), OneShot())
        // The others may run the action first: it is released in any case.
        if kind.isSerial {
            _ = scheduler.schedule(()) {
                begun.fire()
                _ = gate.wait()
                return Disposables.create()
            }
            #expect(begun.wait())
        }
        let disposable = hold.schedule(ReleaseToken { released.fire() }, on: scheduler)
        disposable.dispose()
        gate.fire()
        #expect(released.wait(), "\(hold)")
    }

    /// A place at which an action holds a token.
    enum Holding: CaseIterable {
        case asState, inState, inClosure, inClosureBesideState, inClosureBesideObject

        func schedule(_ token: ReleaseToken, on scheduler: any ImmediateSchedulerType) -> any Disposable {
            switch self {
            case .asState: return scheduler.schedule(token) { _ in Disposables.create() }
            case .inState: return scheduler.schedule([token]) { _ in Disposables.create() }
            case .inClosure:
                return scheduler.schedule(()) {
                    _ = token.number
                    return Disposables.create()
                }
            case .inClosureBesideState:
                return scheduler.schedule(1) { _ in
                    _ = token.number
                    return Disposables.create()
                }
            case .inClosureBesideObject:
                return scheduler.schedule(ReleaseToken()) { _ in
                    _ = token.number
                    return Disposables.create()
                }
            }
        }
    }

    private func expect<State: Equatable>(
        _ state: State, on scheduler: any ImmediateSchedulerType, location: SourceLocation = #_sourceLocation
    ) {
        expectOther(state, on: scheduler, location: location) { $0 == state }
    }

    private func expectOther<State>(
        _ state: State, on scheduler: any ImmediateSchedulerType, location: SourceLocation = #_sourceLocation,
        _ isSame: @escaping (State) -> Bool
    ) {
        let done = OneShot()
        nonisolated(unsafe) let isSame = isSame
        nonisolated(unsafe) var arrived = false
        let disposed = OneShot()
        let disposable = scheduler.schedule(state) { state in
            arrived = isSame(state)
            done.fire()
            return Disposables.create { disposed.fire() }
        }
        #expect(done.wait(), sourceLocation: location)
        #expect(arrived, "\(State.self)", sourceLocation: location)
        disposable.dispose()
        #expect(disposed.wait(), "what the action returned is not disposed of with it", sourceLocation: location)
    }

    private enum Suit { case hearts, spades }
    private enum Shape: Equatable {
        case circle(Int32)
        case square
    }
    private struct Small: Equatable {
        var flag: Bool
        var number: Int32
    }
    private struct Pair: Equatable {
        var first: Int
        var second: Int
    }
    private protocol Named: AnyObject { var name: String { get } }
    private class Base: Equatable {
        let number: Int
        init(_ number: Int) { self.number = number }
        static func == (left: Base, right: Base) -> Bool { left === right }
    }
    private final class Derived: Base, Named {
        var name: String { "\(number)" }
    }
}
