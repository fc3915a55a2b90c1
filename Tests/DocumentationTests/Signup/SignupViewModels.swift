// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift

/// The form, made of plain observables: it handles errors, scheduler and sharing itself.
final class ObservableSignupViewModel {
    let validatedUsername: Observable<Verdict>
    let validatedPassword: Observable<Verdict>
    let validatedRepetition: Observable<Verdict>
    let isSignupEnabled: Observable<Bool>
    let isSigningIn: Observable<Bool>
    let signedIn: Observable<Bool>

    init(
        input: (
            username: Observable<String>, password: Observable<String>, repetition: Observable<String>,
            taps: Observable<Void>
        ),
        api: any AccountAPI, scheduler: any SchedulerType
    ) {
        let rules = SignupRules(api: api)

        validatedUsername = input.username
            .flatMapLatest { username in
                rules.judge(username: username)
                    .observe(on: scheduler)
                    .catchAndReturn(.failed("no answer"))
            }
            .share(replay: 1)

        validatedPassword = input.password
            .map { password in rules.judge(password: password) }
            .share(replay: 1)

        validatedRepetition = Observable.combineLatest(input.password, input.repetition) { password, repetition in
            rules.judge(repetition: repetition, of: password)
        }
        .share(replay: 1)

        let signingIn = ActivityIndicator()
        isSigningIn = signingIn.asObservable()

        let usernameAndPassword = Observable.combineLatest(input.username, input.password) {
            (username: $0, password: $1)
        }

        signedIn = input.taps.withLatestFrom(usernameAndPassword)
            .flatMapLatest { pair in
                api.signUp(pair.username, password: pair.password)
                    .observe(on: scheduler)
                    .catchAndReturn(false)
                    .trackActivity(signingIn)
            }
            .share(replay: 1)

        isSignupEnabled = Observable.combineLatest(
            validatedUsername, validatedPassword, validatedRepetition, signingIn.asObservable()
        ) { username, password, repetition, isSigningIn in
            username.isOK && password.isOK && repetition.isOK && !isSigningIn
        }
        .distinctUntilChanged()
        .share(replay: 1)
    }
}

/// The same form, made of drivers.
final class DriverSignupViewModel {
    let validatedUsername: Driver<Verdict>
    let validatedPassword: Driver<Verdict>
    let validatedRepetition: Driver<Verdict>
    let isSignupEnabled: Driver<Bool>
    let isSigningIn: Driver<Bool>
    let signedIn: Driver<Bool>

    init(
        input: (
            username: Driver<String>, password: Driver<String>, repetition: Driver<String>, taps: Signal<Void>
        ),
        api: any AccountAPI
    ) {
        let rules = SignupRules(api: api)

        validatedUsername = input.username
            .flatMapLatest { username in
                rules.judge(username: username)
                    .asDriver(onErrorJustReturn: .failed("no answer"))
            }

        validatedPassword = input.password
            .map { password in rules.judge(password: password) }

        validatedRepetition = Driver.combineLatest(input.password, input.repetition) { password, repetition in
            rules.judge(repetition: repetition, of: password)
        }

        let signingIn = ActivityIndicator()
        isSigningIn = signingIn.asDriver()

        let usernameAndPassword = Driver.combineLatest(input.username, input.password) {
            (username: $0, password: $1)
        }

        signedIn = input.taps.withLatestFrom(usernameAndPassword)
            .flatMapLatest { pair in
                api.signUp(pair.username, password: pair.password)
                    .trackActivity(signingIn)
                    .asDriver(onErrorJustReturn: false)
            }

        isSignupEnabled = Driver.combineLatest(
            validatedUsername, validatedPassword, validatedRepetition, signingIn.asDriver()
        ) { username, password, repetition, isSigningIn in
            username.isOK && password.isOK && repetition.isOK && !isSigningIn
        }
        .distinctUntilChanged()
    }
}
