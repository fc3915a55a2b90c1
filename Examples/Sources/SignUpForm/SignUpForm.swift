// SPDX-License-Identifier: Apache-2.0

public import RxCocoa
public import RxSwift
public import Terminal

/// Connects keys, the model and the screen.
public struct SignUpForm: Sendable {
    public let frames: Driver<Frame>
    /// Emits the name of the user that has signed up, after a time to read it.
    public let signedUp: Observable<String>

    public init(keys: Observable<Key>, size: Driver<WindowSize>, service: any AccountService) {
        let form =
            keys
            .scan(into: FormState()) { form, key in form.handle(key) }
            .startWith(FormState())
            .asDriver(onErrorDriveWith: .empty())
            .distinctUntilChanged()
        let model = SignUpModel(
            userName: form.map { $0.userName.text }.distinctUntilChanged(),
            password: form.map { $0.password.text }.distinctUntilChanged(),
            repetition: form.map { $0.repetition.text }.distinctUntilChanged(),
            presses: form.map(\.presses).distinctUntilChanged().skip(1).map { _ in }
                .asSignal(onErrorSignalWith: .empty()),
            service: service)
        let screen = Driver.combineLatest(
            form, model.userName, model.password, model.repetition, model.isEnabled, model.isSigningUp, model.outcome
        ) { form, userName, password, repetition, isEnabled, isSigningUp, outcome in
            SignUpScreen(
                form: form, userName: userName, password: password, repetition: repetition, isEnabled: isEnabled,
                isSigningUp: isSigningUp, outcome: outcome)
        }
        frames = Driver.combineLatest(screen, size) { screen, size in screen.frame(for: size) }
        signedUp = model.outcome.asObservable()
            .compactMap { outcome in
                if case .signedUp(let name) = outcome { name } else { nil }
            }
            .delay(.seconds(1), scheduler: MainScheduler.instance)
    }
}
