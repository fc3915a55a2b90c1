// SPDX-License-Identifier: Apache-2.0

/// The declarations that printed programs use besides the library.
enum Preamble {
    /// Returns the parts whose names the text contains, with the parts that these use.
    static func needed(by text: String) -> String {
        var result = ""
        for (names, part) in parts.reversed() where names.contains(where: { (text + result).contains($0) }) {
            result = part + "\n" + result
        }
        return result
    }

    private static let parts: [(names: [String], text: String)] = [
        (
            ["log("],
            """
            func log(_ entry: String) { print(entry, terminator: " ") }
            """
        ),
        (
            ["Failure"],
            """
            struct Failure: Error { var code: Int }
            """
        ),
        (
            ["code(of:"],
            """
            func code(of error: any Error) -> Int {
                if let failure = error as? Failure { return failure.code }
                switch error {
                case RxError.noElements: return 101
                case RxError.moreThanOneElement: return 102
                case RxError.argumentOutOfRange: return 103
                case RxError.timeout: return 104
                default: return 199
                }
            }
            """
        ),
        (
            ["mix"],
            """
            func mix(_ first: Int, _ second: Int) -> Int { (first * 10 + second) % 1000 }
            """
        ),
        (
            ["scheduler: scheduler", "scheduler.", "on: scheduler"],
            """
            let scheduler = TestScheduler(initialClock: 0, resolution: 1, simulateProcessingDelay: false)
            """
        ),
        (
            ["ImmediateSchedulerStandIn"],
            """
            struct ImmediateSchedulerStandIn: ImmediateSchedulerType {
                func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
                    action(state)
                }
            }
            """
        ),
        (
            [".probe("],
            """
            var probed: [Int: Int] = [:]
            extension ObservableType where Element == Int {
                /// Logs what happens here: subscription, events, what comes after passing them on, disposal.
                func probe(_ id: Int) -> Observable<Int> {
                    .deferred {
                        probed[id, default: 0] += 1
                        let name = "\\(id)" + (probed[id]! > 1 ? "#\\(probed[id]!)" : "")
                        return self.do(
                            onNext: { log("\\(name)n\\($0)") }, afterNext: { log("\\(name)N\\($0)") },
                            onError: { log("\\(name)e\\(code(of: $0))") }, afterError: { log("\\(name)E\\(code(of: $0))") },
                            onCompleted: { log("\\(name)c") }, afterCompleted: { log("\\(name)C") },
                            onSubscribe: { log("\\(name)s") }, onSubscribed: { log("\\(name)S") },
                            onDispose: { log("\\(name)d") })
                    }
                }
            }
            """
        ),
        (
            [".react("],
            """
            extension ObservableType where Element == Int {
                /// Acts from inside the callback for the element of the given number.
                func react(_ id: Int, at number: Int, _ action: @escaping () -> Void) -> Observable<Int> {
                    var count = 0
                    return self.do(onNext: { _ in
                        count += 1
                        log("\\(id)f\\(count)")
                        guard count == number else { return }
                        action()
                        log("\\(id)F\\(count)")
                    })
                }
            }
            """
        ),
        (
            [".deferred(", ".deferredFailing("],
            """
            extension ObservableType where Element == Int {
                func deferred(_ id: Int) -> Observable<Int> {
                    .deferred { log("\\(id)m"); return self.asObservable() }
                }
                func deferredFailing(_ id: Int) -> Observable<Int> {
                    .deferred { log("\\(id)m"); throw Failure(code: 8) }
                }
            }
            """
        ),
        (
            [".using("],
            """
            final class LoggedResource: Disposable {
                let id: Int
                init(_ id: Int) { self.id = id }
                func dispose() { log("\\(id)d") }
            }
            extension ObservableType where Element == Int {
                func using(_ id: Int, _ choice: Int) -> Observable<Int> {
                    .using(
                        { log("\\(id)s"); if choice == 1 { throw Failure(code: 8) }; return LoggedResource(id) },
                        observableFactory: { (_: LoggedResource) in
                            log("\\(id)m"); if choice == 2 { throw Failure(code: 9) }; return self.asObservable()
                        })
                }
            }
            """
        ),
        (
            [".flaky("],
            """
            extension ObservableType where Element == Int {
                /// Fails on the given number of first subscriptions, behind its elements.
                func flaky(_ id: Int, _ failures: Int) -> Observable<Int> {
                    var count = 0
                    return .deferred {
                        log("\\(id)m")
                        count += 1
                        return count <= failures ? self.concat(Observable.error(Failure(code: 3))) : self.asObservable()
                    }
                }
            }
            """
        ),
        (
            ["observe("],
            """
            var observers = 0
            func observe(_ pipeline: Observable<Int>, _ subscribed: ((number: Int, disposable: any Disposable)) -> Void) {
                let number = observers
                observers += 1
                log(">\\(number)s")
                let disposable = pipeline.subscribe { event in
                    switch event {
                    case .next(let element): log(">\\(number)n\\(element)")
                    case .error(let error): log(">\\(number)e\\(code(of: error))")
                    case .completed: log(">\\(number)c")
                    }
                }
                subscribed((number, disposable))
                log(">\\(number)S")
            }
            """
        ),
    ]
}
