// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import RxTest
import Testing

/// Answers after three ticks: "free" and "second" are available, "broken" gives an error, all others are taken.
private final class ScriptedAPI: AccountAPI {
    private let scheduler: TestScheduler
    private(set) var requests: [String] = []

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    func isUsernameAvailable(_ username: String) -> Observable<Bool> {
        Observable.deferred { [self] in
            requests.append("\(scheduler.clock): is \(username) available")
            return answer(username == "broken" ? nil : ["free", "second"].contains(username))
        }
    }

    func signUp(_ username: String, password: String) -> Observable<Bool> {
        Observable.deferred { [self] in
            requests.append("\(scheduler.clock): sign up \(username) with \(password)")
            return answer(password == "timeout" ? nil : username == "free")
        }
    }

    private func answer(_ value: Bool?) -> Observable<Bool> {
        guard let value else {
            return scheduler.createColdObservable([.error(3, ExampleError.test)]).asObservable()
        }
        return scheduler.createColdObservable([.next(3, value), .completed(3)]).asObservable()
    }
}

extension Documentation {
    /// Signing up at a service, in virtual time: the same form made of observables and made of drivers.
    @Suite struct SignupTests {
        enum Variant: CaseIterable { case observables, drivers }

        /// The texts that a user types and the presses of the button, with their times.
        struct Script {
            var username: [(Int, String)] = [(1, "")]
            var password: [(Int, String)] = [(1, "")]
            var repetition: [(Int, String)] = [(1, "")]
            var taps: [Int] = []
        }

        /// The elements that the outputs of a form send, each with its time.
        struct Outputs {
            let username: Console
            let password: Console
            let repetition: Console
            let isEnabled: Console
            let isSigningIn: Console
            let signedIn: Console
            let requests: [String]
        }

        private func run(_ variant: Variant, _ script: Script) -> Outputs {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
            let api = ScriptedAPI(scheduler)
            let disposeBag = DisposeBag()

            func typed(_ texts: [(Int, String)]) -> Observable<String> {
                scheduler.createHotObservable(texts.map { .next($0.0, $0.1) }).asObservable()
            }
            func record<Element>(_ output: Observable<Element>) -> Console {
                let console = Console()
                output.subscribe(onNext: { console.print("\(scheduler.clock): \($0)") }).disposed(by: disposeBag)
                return console
            }

            let (username, password) = (typed(script.username), typed(script.password))
            let repetition = typed(script.repetition)
            let taps = scheduler.createHotObservable(script.taps.map { .next($0, ()) }).asObservable()
            var consoles: [Console] = []
            // A driver that is not made in here delivers on the main queue.
            SharingScheduler.mock(scheduler: scheduler) {
                switch variant {
                case .observables:
                    let form = ObservableSignupViewModel(
                        input: (username, password, repetition, taps), api: api, scheduler: scheduler)
                    consoles = [form.validatedUsername, form.validatedPassword, form.validatedRepetition].map(record)
                    consoles += [form.isSignupEnabled, form.isSigningIn, form.signedIn].map(record)
                case .drivers:
                    let form = DriverSignupViewModel(
                        input: (
                            username.asDriver(onErrorJustReturn: ""), password.asDriver(onErrorJustReturn: ""),
                            repetition.asDriver(onErrorJustReturn: ""), taps.asSignal(onErrorJustReturn: ())
                        ), api: api)
                    consoles = [form.validatedUsername, form.validatedPassword, form.validatedRepetition]
                        .map { record($0.asObservable()) }
                    consoles += [form.isSignupEnabled, form.isSigningIn, form.signedIn]
                        .map { record($0.asObservable()) }
                }
                scheduler.start()
            }
            return withExtendedLifetime(disposeBag) {
                Outputs(
                    username: consoles[0], password: consoles[1], repetition: consoles[2], isEnabled: consoles[3],
                    isSigningIn: consoles[4], signedIn: consoles[5], requests: api.requests)
            }
        }

        @Test("Usernames are checked at the service", arguments: Variant.allCases) func usernames(variant: Variant) {
            let outputs = run(
                variant,
                Script(username: [(1, ""), (10, "taken"), (20, "no spaces"), (30, "broken"), (40, "free")]))
            #expect(
                outputs.username.lines == [
                    "1: empty", "10: checking", "13: failed: taken", "20: failed: letters and digits only",
                    "30: checking", "33: failed: no answer", "40: checking", "43: ok: available",
                ])
        }

        /// Two outputs depend on the username; there is one request, since the verdict is shared.
        @Test("Only the last username receives an answer", arguments: Variant.allCases)
        func lastUsername(variant: Variant) {
            let outputs = run(variant, Script(username: [(1, ""), (10, "taken"), (12, "free"), (14, "second")]))
            #expect(
                outputs.username.lines == [
                    "1: empty", "10: checking", "12: checking", "14: checking", "17: ok: available",
                ])
            #expect(
                outputs.requests == ["10: is taken available", "12: is free available", "14: is second available"])
        }

        @Test("Passwords are long enough and the same", arguments: Variant.allCases) func passwords(variant: Variant) {
            let outputs = run(
                variant,
                Script(
                    password: [(1, ""), (10, "abcd"), (20, "abcde")],
                    repetition: [(1, ""), (30, "abcd"), (40, "abcde"), (50, "")]))
            #expect(outputs.password.lines == ["1: empty", "10: failed: too short", "20: ok: fine"])
            #expect(
                outputs.repetition.lines == [
                    "1: empty", "10: empty", "20: empty", "30: failed: different", "40: ok: same", "50: empty",
                ])
        }

        @Test("Signing up is enabled when all fields are valid", arguments: Variant.allCases)
        func enabledButton(variant: Variant) {
            let outputs = run(
                variant,
                Script(
                    username: [(1, ""), (10, "taken"), (20, "free")], password: [(1, ""), (30, "secret")],
                    repetition: [(1, ""), (40, "secre"), (50, "secret"), (60, "secrets")]))
            #expect(outputs.isEnabled.lines == ["1: false", "50: true", "60: false"])
        }

        @Test("Signing in disables the button until the answer", arguments: Variant.allCases)
        func disabledButton(variant: Variant) {
            let outputs = run(
                variant,
                Script(
                    username: [(1, "free")], password: [(1, "secret")], repetition: [(1, "secret")], taps: [10, 20]))
            #expect(
                outputs.isEnabled.lines == ["1: false", "4: true", "10: false", "13: true", "20: false", "23: true"])
            #expect(
                outputs.isSigningIn.lines == ["0: false", "10: true", "13: false", "20: true", "23: false"])
            #expect(outputs.signedIn.lines == ["13: true", "23: true"])
            #expect(
                outputs.requests == [
                    "1: is free available", "10: sign up free with secret", "20: sign up free with secret",
                ])
        }

        @Test("A refusal and an error do not end the form", arguments: Variant.allCases)
        func failedAttempts(variant: Variant) {
            let outputs = run(
                variant,
                Script(
                    username: [(1, "second"), (30, "free")],
                    password: [(1, "secret"), (18, "timeout"), (30, "secret")],
                    taps: [10, 20, 40]))
            #expect(outputs.signedIn.lines == ["13: false", "23: false", "43: true"])
            #expect(outputs.isSigningIn.lines.count == 7)
        }
    }
}
