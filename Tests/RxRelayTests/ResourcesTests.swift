// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import RxRelay
    import RxSwift
    import TestSupport
    import Testing

    /// In a process of its own, since the count is the process's.
    @Suite struct ResourcesTests {
        @Test("Relays and bindings are counted and released") func relaysAndBindings() async {
            await #expect(processExitsWith: .success) {
                // This call makes the objects that each thread makes once.
                _ = Observable.of(0).bind(to: PublishRelay())
                let before = Resources.total
                do {
                    let relay = BehaviorRelay(value: 0)
                    let copies = (PublishRelay<Int>(), ReplayRelay<Int?>.create(bufferSize: 2))
                    let other = ReplayRelay<Int>.createUnbound()
                    precondition(Resources.total > before)
                    let bound = relay.bind(to: copies.0)
                    let boundToOptional = relay.bind(to: copies.1)
                    _ = copies.0.take(2).bind(to: other)
                    _ = copies.0.subscribe(onNext: { if $0 == 1 { relay.accept(2) } })
                    relay.accept(1)
                    precondition(events(of: other.asObservable()) == ["1", "2"])
                    bound.dispose()
                    boundToOptional.dispose()
                }
                precondition(Resources.total == before, "\(Resources.census())")
            }
        }
    }
#endif
