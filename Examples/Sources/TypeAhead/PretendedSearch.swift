// SPDX-License-Identifier: Apache-2.0

import RxRelay
public import RxSwift

/// A service that searches lines of this process, and pretends to be far away.
public struct PretendedSearch: SearchService {
    private let index: LineIndex
    private let latency: RxTimeInterval
    private let isFailing: Bool
    private let scheduler: any SchedulerType
    /// Searches, so that a long list keeps neither keys nor the screen waiting.
    private let worker = SerialDispatchQueueScheduler(internalSerialQueueName: "search")
    /// The number of requests so far.
    private let requests = BehaviorRelay(value: 0)

    /// The most lines in an answer.
    public static let limit = 100

    /// - Parameters:
    ///   - latency: the time until an answer.
    ///   - isFailing: whether two of three requests fail, the first two included.
    ///   - scheduler: measures the latency.
    public init(index: LineIndex, latency: RxTimeInterval, isFailing: Bool, scheduler: any SchedulerType) {
        self.index = index
        self.latency = latency
        self.isFailing = isFailing
        self.scheduler = scheduler
    }

    public func find(_ query: String) -> Single<SearchResults> {
        Single.deferred { [requests, isFailing, latency, scheduler, worker, index] in
            requests.accept(requests.value + 1)
            let fails = isFailing && !requests.value.isMultiple(of: 3)
            return Single<Int>.timer(latency, scheduler: scheduler)
                .observe(on: worker)
                .map { _ in
                    if fails { throw Unreachable() }
                    return index.find(query, limit: Self.limit)
                }
        }
    }

    /// The service did not answer.
    public struct Unreachable: Error {}
}
