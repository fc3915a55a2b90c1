// SPDX-License-Identifier: Apache-2.0

public import RxCocoa
import RxRelay
import RxSwift

/// The logic of a search while typing.
///
/// It knows neither keys nor frames, and its clock is the main scheduler.
public struct SearchModel: Sendable {
    /// The state of the search for the newest query.
    public enum Phase: Equatable, Sendable {
        /// There is no query.
        case idle
        case searching
        /// The service cannot be reached; the next attempt is so many seconds away.
        case offline(retryIn: Int)
        case found
    }

    public let phase: Driver<Phase>
    /// The newest results. They stay until there are others, so that the list does not flicker.
    public let results: Driver<SearchResults>

    /// The time without a change after which a query is sent.
    static let quietTime = RxTimeInterval.milliseconds(200)
    /// Seconds between attempts. The last number is for all further ones.
    public static let delays = [1, 2, 4, 8]

    public init(query: Driver<String>, service: any SearchService) {
        let steps =
            query
            .map(Self.trimmed)
            .debounce(Self.quietTime)
            .distinctUntilChanged()
            .flatMapLatest { query in Self.search(query, service) }
        phase = steps.map(\.phase).startWith(.idle).distinctUntilChanged()
        results = steps.compactMap(\.results).startWith(SearchResults())
    }

    private struct Step: Sendable {
        var phase: Phase
        var results: SearchResults?
    }

    private static func search(_ query: String, _ service: any SearchService) -> Driver<Step> {
        if query.isEmpty { return .just(Step(phase: .idle, results: SearchResults())) }
        let steps = Observable<Step>.deferred {
            let waiting = PublishRelay<Phase>()
            let found = service.find(query)
                .asObservable()
                .map { results in Step(phase: .found, results: results) }
                .retry { errors in
                    errors.enumerated().concatMap { attempt, _ in countdown(for: attempt, telling: waiting) }
                }
            return Observable.merge(waiting.map { Step(phase: $0) }, found)
                .take(until: { $0.phase == .found }, behavior: .inclusive)
        }
        return steps.asDriver(onErrorDriveWith: .empty()).startWith(Step(phase: .searching))
    }

    /// Tells the seconds that are left, and emits when none is.
    private static func countdown(for attempt: Int, telling waiting: PublishRelay<Phase>) -> Observable<Void> {
        let delay = delays[min(attempt, delays.count - 1)]
        return Observable<Int>.timer(.seconds(0), period: .seconds(1), scheduler: MainScheduler.instance)
            .take(delay + 1)
            .do(onNext: { second in waiting.accept(second < delay ? .offline(retryIn: delay - second) : .searching) })
            .filter { $0 == delay }
            .map { _ in }
    }

    /// The query without superfluous spaces.
    static func trimmed(_ text: String) -> String {
        text.split(separator: " ").joined(separator: " ")
    }
}
