// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A sequence for state that a user interface shows.
///
/// It does not fail, delivers on the main queue, and sends each new subscriber the latest element.
///
/// It may be subscribed to and disposed of on any thread. While a thread other than the main one does that, elements that arrive at the
/// same time can reach the other observers on that thread, or on a thread of the runtime, but not closures: where observers rely on the main thread,
/// subscribe and dispose there.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// The strategy of `Driver`: `share(replay: 1, scope: .whileConnected)` on the main queue.
public struct DriverSharingStrategy: SharingStrategyProtocol {
    /// The scheduler on which drivers deliver; see `SharingScheduler` for tests.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Shares one subscription, and tells each new subscriber its latest element.
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 1, scope: .whileConnected)
    }
}
