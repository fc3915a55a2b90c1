// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import RxTest
import SignUpForm
import Testing

/// Answers after 200 milliseconds, and notes what it is asked.
private struct StubAccounts: AccountService {
    let scheduler: TestScheduler
    let requests = PublishRelay<String>()

    func isAvailable(_ name: String) -> Single<Bool> {
        answer("is \(name) available") {
            if name == "error" { throw ServiceError("no connection") }
            return name != "anna"
        }
    }

    func signUp(_ name: String, password: String) -> Completable {
        answer("sign up \(name), \(password)") {
            if password == "refused1" { throw ServiceError("refused") }
        }
        .asCompletable()
    }

    private func answer<Answer>(_ request: String, _ answer: @escaping @Sendable () throws -> Answer) -> Single<Answer>
    {
        Single.deferred {
            requests.accept(request)
            return Single<Int>.timer(.milliseconds(200), scheduler: scheduler).map { _ in try answer() }
        }
    }
}

/// All diagrams have a tick for 100 milliseconds. A name is looked up after 3 of them without a change, and the answer takes 2.
struct SignUpModelTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1, simulateProcessingDelay: false)
    private let service: StubAccounts

    init() { service = StubAccounts(scheduler: scheduler) }

    static let texts: [Character: String] = [
        "a": "anna", "n": "nora", "o": "norah", "x": "x", "e": "error", "0": "",
        "p": "password1", "q": "password2", "r": "refused1", "s": "short1",
    ]

    /// Runs a model, and returns what one of its outputs sends.
    private func run<Element: Equatable>(
        name: String, password: String = "", repetition: String = "", press: String = "",
        _ output: (SignUpModel) -> Driver<Element>
    ) throws -> (events: [Recorded<Event<Element>>], requests: [Recorded<Event<String>>]) {
        let observer = scheduler.createObserver(Element.self)
        let requests = scheduler.createObserver(String.self)
        let bag = DisposeBag()
        service.requests.subscribe(requests).disposed(by: bag)
        try MainScheduler.replaced(by: scheduler) {
            let model = SignUpModel(
                userName: try field(name), password: try field(password), repetition: try field(repetition),
                presses: try scheduler.createHotObservable(marbles: press, start: 0).map { _ in }
                    .asSignal(onErrorSignalWith: .empty()),
                service: service)
            // As on the screen, everything is subscribed to.
            model.isSigningUp.drive().disposed(by: bag)
            output(model).drive(observer).disposed(by: bag)
            model.outcome.drive().disposed(by: bag)
            scheduler.start()
        }
        return (observer.events, requests.events)
    }

    private func field(_ diagram: String) throws -> Driver<String> {
        try scheduler.createHotObservable(marbles: diagram, values: Self.texts, start: 0)
            .asDriver(onErrorJustReturn: "").startWith("")
    }

    @Test(
        "A name is looked up once it has not changed for 300 milliseconds",
        arguments: [
            // 0: empty, i: invalid, c: checking, a: available, t: taken, u: unchecked
            ("-n", "0c----a", ["is nora available"]),
            ("-a", "0c----t", ["is anna available"]),
            ("-e", "0c----u", ["is error available"]),
            ("-x", "0i", []),
            ("-n-a", "0c------t", ["is anna available"]),
            // The answer for the earlier name comes too late.
            ("-n---a", "0c--------t", ["is nora available", "is anna available"]),
            ("-n-----o", "0c----ac----a", ["is nora available", "is norah available"]),
            ("-n-x", "0c-i", []),
            ("-n---0", "0c---0", ["is nora available"]),
            // Also a name that was looked up before: the answer may be another one now.
            ("-e--------x-e", "0c----u---i-c----u", ["is error available", "is error available"]),
        ])
    func lookUp(typed: String, states: String, requests: [String]) throws {
        let result = try run(name: typed) { $0.userName }
        let values: [Character: UserNameState] = [
            "0": .empty, "i": .invalid("at least 3 characters"), "c": .checking, "a": .available, "t": .taken,
            "u": .unchecked("cannot be checked: no connection"),
        ]
        #expect(try result.events.marbles(values: values) == states)
        #expect(result.requests.compactMap(\.value.element) == requests)
    }

    @Test("The rules for passwords hold at once")
    func passwords() throws {
        let values: [Character: PasswordState] = ["0": .empty, "i": .invalid("at least 8 characters"), "v": .valid]
        #expect(
            try run(name: "", password: "-s-p-0") { $0.password }.events.marbles(values: values) == "0i-v-0")
    }

    @Test("The repetition is compared again when either field changes")
    func repetitions() throws {
        let values: [Character: PasswordState] = ["0": .empty, "d": .invalid("differs from the password"), "v": .valid]
        let result = try run(name: "", password: "-p---q", repetition: "---p---q") { $0.repetition }
        #expect(try result.events.marbles(values: values) == "0--v-d-v")
    }

    static let flags: [Character: Bool] = ["1": true, "0": false]

    @Test(
        "The button is enabled while all fields are valid",
        arguments: [
            ("-n", "--p", "---p", "0-----1"),
            ("-a", "--p", "---p", "0"),
            ("-n", "--p", "---q", "0"),
            // A name that is being looked up is not available yet.
            ("-n--------o", "p", "p", "0-----1---0----1"),
            ("-n", "p-------q", "p", "0-----1-0"),
        ])
    func enabled(name: String, password: String, repetition: String, expected: String) throws {
        let result = try run(name: name, password: password, repetition: repetition) { $0.isEnabled }
        #expect(try result.events.marbles(values: Self.flags) == expected)
    }

    @Test("Signing up takes a while, in which the button is not enabled")
    func activity() throws {
        let isEnabled = try run(name: "n", password: "r", repetition: "r", press: "-------x") { $0.isEnabled }
        #expect(try isEnabled.events.marbles(values: Self.flags) == "0----1-0-1")
    }

    @Test("Whether it is signing up is told")
    func signingUp() throws {
        let isSigningUp = try run(name: "n", password: "p", repetition: "p", press: "-------x") { $0.isSigningUp }
        #expect(try isSigningUp.events.marbles(values: Self.flags) == "0------1-0")
    }

    static let outcomes: [Character: SignUpModel.Outcome?] = [
        "0": SignUpModel.Outcome?.none, "s": .signedUp("nora"), "f": .failed("refused"),
    ]

    @Test(
        "Pressing the button signs up, once and only if it is enabled",
        arguments: [
            ("p", "-------x", "0--------s", 1),
            // Too early, and twice.
            ("p", "--x", "0", 0),
            ("p", "-------xx--x", "0--------s", 1),
            ("s", "-------x", "0", 0),
            ("r", "-------x", "0--------f", 1),
            ("r", "-------x----x", "0--------f", 2),
            // The reason of a failure disappears with the next change.
            ("r-----------p", "-------x", "0--------f--0", 1),
        ])
    func press(password: String, press: String, expected: String, attempts: Int) throws {
        let result = try run(name: "n", password: password, repetition: password, press: press) { $0.outcome }
        #expect(try result.events.marbles(values: Self.outcomes) == expected)
        #expect(result.requests.filter { $0.value.element?.hasPrefix("sign up") == true }.count == attempts)
    }
}
