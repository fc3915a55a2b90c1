public import RxSwift

/// A sequence for state that a user interface shows: does not fail, delivers on the main queue, and tells each newcomer the
/// latest element.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// The strategy of `Driver`: `share(replay: 1, scope: .whileConnected)` on the main queue.
public struct DriverSharingStrategy: SharingStrategyProtocol {
    /// Where drivers deliver. See `SharingScheduler` for tests.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Shares one subscription, and tells each newcomer its latest element.
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 1, scope: .whileConnected)
    }
}
