// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import RxSwift
    import TestSupport
    import Testing

    /// In a process of its own each, since the count is the process's.
    @Suite struct ConcurrencyResourcesTests {
        @Test("Awaited sequences are released") func awaited() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    _ = try await Single.just(1).value
                    _ = try? await Single<Int>.error(Failure.expected).value
                    _ = try await PrimitiveSequence<MaybeTrait, Int>(raw: .empty()).value
                    try await Completable(raw: .empty()).value
                    let task = Task { try await Single<Int>.never().value }
                    task.cancel()
                    _ = await task.result
                }
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }

        @Test("Iterated sequences are released") func iterated() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    for try await _ in sequence(1, 2).values {}
                    do { for try await _ in sequence(1, error: .expected).values {} } catch {}
                    for await _ in Infallible<Int>(raw: .just(1)).values {}
                    let subject = PublishSubject<Int>()
                    let task = Task { for try await _ in subject.values {} }
                    task.cancel()
                    _ = await task.result
                    for try await _ in Observable<Int>.repeatElement(1).take(3).values { break }
                    _ = subject.values
                    _ = Observable<Int>.never().values
                }
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }

        @Test("Sources that are tasks are released") func taskSources() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    _ = try await Single.create { 1 }.value
                    _ = try? await Single<Int>.create { throw Failure.expected }.value
                    Single<Int>.create {
                        try await Task.sleep(nanoseconds: 60_000_000_000)
                        return 1
                    }.subscribe().dispose()
                    let stream = AsyncStream<Int> { $0.finish() }
                    for try await _ in stream.asObservable().values {}
                    AsyncStream<Int> { _ in }.asObservable().subscribe().dispose()
                }
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }
    }
#endif
