// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import RxSwift
    import RxTest
    import Testing

    /// In a process of its own each, since the count is the process's.
    @Suite struct ResourcesTests {
        @Test("Disposables are counted and released") func disposables() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let serial = SerialDisposable()
                    let single = SingleAssignmentDisposable()
                    let shared = RefCountDisposable(disposable: BooleanDisposable())
                    let group = CompositeDisposable(serial, single, shared.retain(), shared)
                    serial.disposable = Disposables.create {}
                    single.setDisposable(Disposables.create(Disposables.create(), group))
                    precondition(Resources.total == before + 8)
                    let bag = DisposeBag(disposing: group)
                    precondition(Resources.total == before + 9)
                    withExtendedLifetime(bag) {}
                }
                precondition(Resources.total == before)
            }
        }

        @Test("The virtual time scheduler releases its actions") func virtualTime() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let scheduler = TestScheduler(initialClock: 0)
                    let hot = scheduler.createHotObservable([.next(210, 1), .completed(220)])
                    let cold = scheduler.createColdObservable([.next(10, 1)])
                    _ = scheduler.start { hot.map { $0 } }
                    _ = scheduler.start(created: 1_100, subscribed: 1_200, disposed: 1_300) { cold.map { $0 } }
                    let periodic = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) {
                        $0 + 1
                    }
                    scheduler.advanceTo(2_000)
                    periodic.dispose()
                    _ = scheduler.scheduleRecursive(3) { state, recurse in
                        if state > 0 { recurse(state - 1) }
                    }
                    scheduler.start()
                    // An action that never runs is released with the scheduler.
                    _ = scheduler.schedule(()) { _ in Disposables.create {} }
                }
                precondition(Resources.total == before, "\(Resources.census())")
            }
        }

        @Test("The current thread scheduler releases its actions") func currentThread() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                _ = CurrentThreadScheduler.instance.scheduleRecursive(1_000) { state, recurse in
                    if state > 0 { recurse(state - 1) }
                }
                precondition(Resources.total <= before + 1, "\(Resources.census())")
            }
        }
    }
#endif
