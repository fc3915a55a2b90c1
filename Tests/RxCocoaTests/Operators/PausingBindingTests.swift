// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Bindings pass the question of a source on to what they bind to (law L13).
@Suite struct PausingBindingTests {
    /// Binds a source to the sequence that it returns.
    private typealias Binding = @Sendable (Observable<Int>) -> (target: Observable<Int>, binding: any Disposable)

    private static let bindings: [(name: String, bind: Binding)] = [
        ("bind(to: subject)", { source in to(PublishSubject()) { source.bind(to: $0) } }),
        ("bind(to: optionals)", { source in toOptionals(PublishSubject()) { source.bind(to: $0) } }),
        ("Infallible.bind(to: subject)", { source in to(PublishSubject()) { Infallible(raw: source).bind(to: $0) } }),
        (
            "Infallible.bind(to: optionals)",
            { source in toOptionals(PublishSubject()) { Infallible(raw: source).bind(to: $0) } }
        ),
        ("Infallible.bind(to: relay)", { source in to(PublishRelay()) { Infallible(raw: source).bind(to: $0) } }),
        ("drive(subject)", { source in to(PublishSubject()) { Driver(raw: source).drive($0) } }),
        ("drive(optionals)", { source in toOptionals(PublishSubject()) { Driver(raw: source).drive($0) } }),
        ("drive(relay)", { source in to(BehaviorRelay(value: 0)) { Driver(raw: source).drive($0) } }),
        ("emit(to: subject)", { source in to(PublishSubject()) { Signal(raw: source).emit(to: $0) } }),
        ("emit(to: optionals)", { source in toOptionals(PublishSubject()) { Signal(raw: source).emit(to: $0) } }),
        ("emit(to: relay)", { source in to(PublishRelay()) { Signal(raw: source).emit(to: $0) } }),
    ]

    private static func to<Target: ObservableType>(
        _ target: Target, _ bind: (Target) -> any Disposable
    ) -> (target: Observable<Int>, binding: any Disposable) where Target.Element == Int {
        (target.asObservable(), bind(target))
    }

    private static func toOptionals(
        _ target: PublishSubject<Int?>, _ bind: (PublishSubject<Int?>) -> any Disposable
    ) -> (target: Observable<Int>, binding: any Disposable) {
        (target.compactMap { $0 }, bind(target))
    }

    @Test("A binding to what a slow subscriber reads pauses its source", arguments: bindings.indices)
    func pauses(index: Int) async {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let (target, binding) = Self.bindings[index].bind(probe.observable)
        let slow = target.observe(on: gated.scheduler).subscribe()
        #expect(probe.emitUntilPaused(limit: 20_000) < 10_000, "\(Self.bindings[index].name)")
        gated.open()
        #expect(await eventually { probe.resumeCount >= 1 })
        #expect(!probe.ask())
        slow.dispose()
        binding.dispose()
    }

    @Test("A binding to several subjects pauses its source only while all of them do")
    func severalSubjects() {
        let probe = PausableProbe()
        let gated = GatedScheduler()
        let subjects = [PublishSubject<Int>(), PublishSubject<Int>()]
        let binding = probe.observable.bind(to: subjects[0], subjects[1])
        let slow = subjects.map { $0.observe(on: gated.scheduler).subscribe() }
        #expect(probe.emitUntilPaused(limit: 20_000) < 10_000)
        let fast = subjects[1].subscribe()
        #expect(!probe.ask())
        fast.dispose()
        binding.dispose()
        for subscription in slow { subscription.dispose() }
        gated.open()
    }
}
