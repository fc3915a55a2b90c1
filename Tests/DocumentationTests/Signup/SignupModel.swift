// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift

/// A service on the network.
protocol AccountAPI {
    func isUsernameAvailable(_ username: String) -> Observable<Bool>
    func signUp(_ username: String, password: String) -> Observable<Bool>
}

/// The verdict on a text.
enum Verdict: Equatable, CustomStringConvertible {
    case ok(String)
    case empty
    case checking
    case failed(String)

    var isOK: Bool {
        if case .ok = self { return true }
        return false
    }

    var description: String {
        switch self {
        case .ok(let message): "ok: \(message)"
        case .empty: "empty"
        case .checking: "checking"
        case .failed(let message): "failed: \(message)"
        }
    }
}

/// The rules for usernames and passwords.
struct SignupRules {
    static let minimumPasswordLength = 5

    let api: any AccountAPI

    func judge(username: String) -> Observable<Verdict> {
        if username.isEmpty { return .just(.empty) }
        guard username.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return .just(.failed("letters and digits only"))
        }
        return api.isUsernameAvailable(username)
            .map { isAvailable in isAvailable ? .ok("available") : .failed("taken") }
            .startWith(.checking)
    }

    func judge(password: String) -> Verdict {
        if password.isEmpty { return .empty }
        return password.count < Self.minimumPasswordLength ? .failed("too short") : .ok("fine")
    }

    func judge(repetition: String, of password: String) -> Verdict {
        if repetition.isEmpty { return .empty }
        return repetition == password ? .ok("same") : .failed("different")
    }
}

/// Tells whether any of the tracked sequences is running.
final class ActivityIndicator: SharedSequenceConvertibleType {
    typealias SharingStrategy = DriverSharingStrategy
    typealias Element = Bool

    private let running = BehaviorRelay(value: 0)
    private let isActive: Driver<Bool>

    init() {
        isActive = running.asDriver().map { $0 > 0 }.distinctUntilChanged()
    }

    func asSharedSequence() -> Driver<Bool> { isActive }

    fileprivate func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
        Observable.using({ Activity(self.running) }, observableFactory: { _ in source.asObservable() })
    }

    /// A running sequence, which is counted until it is disposed of.
    private struct Activity: Disposable {
        private let running: BehaviorRelay<Int>

        init(_ running: BehaviorRelay<Int>) {
            self.running = running
            running.accept(running.value + 1)
        }

        func dispose() { running.accept(running.value - 1) }
    }
}

extension ObservableConvertibleType {
    func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> { indicator.track(self) }
}
