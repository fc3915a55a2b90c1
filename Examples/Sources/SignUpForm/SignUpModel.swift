// SPDX-License-Identifier: Apache-2.0

public import RxCocoa
import RxSwift
import Terminal

/// The logic of a sign-up form: user name, password, repeated password and a button.
///
/// It knows neither keys nor frames, and its clock is the main scheduler.
public struct SignUpModel: Sendable {
    public let userName: Driver<UserNameState>
    public let password: Driver<PasswordState>
    public let repetition: Driver<PasswordState>
    /// True if the button may be pressed.
    public let isEnabled: Driver<Bool>
    public let isSigningUp: Driver<Bool>
    /// The outcome of each attempt to sign up, and nil from the next change of a field on.
    public let outcome: Driver<Outcome?>

    public enum Outcome: Equatable, Sendable {
        /// The user with this name has an account.
        case signedUp(String)
        /// There is no account, for this reason.
        case failed(String)

        var isSignedUp: Bool {
            if case .signedUp = self { true } else { false }
        }
    }

    /// The time without a change after which a user name is looked up.
    static let quietTime = RxTimeInterval.milliseconds(300)

    /// - Parameters:
    ///   - userName: the text of the field, as are the next two.
    ///   - presses: presses of the button, also when it is not enabled.
    public init(
        userName: Driver<String>, password: Driver<String>, repetition: Driver<String>, presses: Signal<Void>,
        service: any AccountService
    ) {
        let userName = userName.distinctUntilChanged()
        let nameState = userName.flatMapLatest { name in Self.state(of: name, service) }.distinctUntilChanged()
        let passwordState = password.map { PasswordRules.state(of: $0) }.distinctUntilChanged()
        let repetitionState = Driver.combineLatest(password, repetition) { password, repetition in
            PasswordRules.state(ofRepetition: repetition, of: password)
        }
        .distinctUntilChanged()

        let activity = Activity()
        let isComplete = Driver.combineLatest(nameState, passwordState, repetitionState) { name, password, repetition in
            name.isAvailable && password == .valid && repetition == .valid
        }
        isEnabled = Driver.combineLatest(isComplete, activity.isActive) { isComplete, isBusy in isComplete && !isBusy }
            .distinctUntilChanged()

        let fields = Driver.combineLatest(userName, password) { (name: $0, password: $1) }
        let attempts = presses.asObservable()
            .withLatestFrom(isEnabled)
            .filter { $0 }
            .withLatestFrom(fields)
            .flatMapFirst { fields in
                activity.track(Self.signUp(fields.name, fields.password, service))
            }
            .take(until: { $0.isSignedUp }, behavior: .inclusive)
        let edits = Driver.combineLatest(fields, repetition) { _, _ in Outcome?.none }
        outcome = Observable.merge(attempts.map { Optional($0) }, edits.asObservable())
            .distinctUntilChanged()
            .asDriver(onErrorJustReturn: nil)

        self.userName = nameState
        self.password = passwordState
        self.repetition = repetitionState
        isSigningUp = activity.isActive
    }

    /// Emits `.checking` at once: the answer for an earlier name must not enable the button meanwhile.
    private static func state(of name: String, _ service: any AccountService) -> Driver<UserNameState> {
        if let state = UserNameRules.state(of: name) { return .just(state) }
        return service.isAvailable(name)
            // With flatMapLatest around it, this is a debounce.
            .delaySubscription(quietTime, scheduler: MainScheduler.instance)
            .map { $0 ? UserNameState.available : .taken }
            .catch { error in .just(.unchecked("cannot be checked: \(error)")) }
            .asDriver(onErrorJustReturn: .taken)
            .startWith(.checking)
    }

    private static func signUp(
        _ name: String, _ password: String, _ service: any AccountService
    ) -> Observable<Outcome> {
        service.signUp(name, password: password)
            .andThen(.just(.signedUp(name)))
            .catch { error in .just(.failed("\(error)")) }
            .observe(on: MainScheduler.instance)
    }
}
