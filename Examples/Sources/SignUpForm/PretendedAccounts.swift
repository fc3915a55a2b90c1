// SPDX-License-Identifier: Apache-2.0

import RxRelay
public import RxSwift

/// A service that knows some names, and takes its time.
public struct PretendedAccounts: AccountService {
    private let latency: RxTimeInterval
    private let isFailing: Bool
    private let scheduler: any SchedulerType
    /// The number of requests so far.
    private let requests = BehaviorRelay(value: 0)

    public static let takenNames: Set<String> = ["admin", "anna", "guest", "root", "swift"]

    /// - Parameters:
    ///   - latency: the time until an answer.
    ///   - isFailing: whether every second request fails, the first one included.
    ///   - scheduler: measures the latency, and delivers the answers.
    public init(latency: RxTimeInterval, isFailing: Bool, scheduler: any SchedulerType) {
        self.latency = latency
        self.isFailing = isFailing
        self.scheduler = scheduler
    }

    public func isAvailable(_ name: String) -> Single<Bool> {
        answer { !Self.takenNames.contains(name.lowercased()) }
    }

    public func signUp(_ name: String, password: String) -> Completable {
        answer { () }.asCompletable()
    }

    private func answer<Answer>(_ answer: @escaping @Sendable () -> Answer) -> Single<Answer> {
        Single.deferred { [requests, isFailing, latency, scheduler] in
            requests.accept(requests.value + 1)
            let fails = isFailing && !requests.value.isMultiple(of: 2)
            return Single<Int>.timer(latency, scheduler: scheduler).map { _ in
                if fails { throw ServiceError("no connection") }
                return answer()
            }
        }
    }
}
