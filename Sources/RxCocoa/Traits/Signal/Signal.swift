// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A sequence for events that a user interface reacts to.
///
/// It does not fail, delivers on the main queue, and repeats nothing to new subscribers.
///
/// It may be subscribed to and disposed of on any thread. While a thread other than the main one does that, elements that arrive at the
/// same time can reach the other observers on that thread, or on a thread of the runtime, but not closures: where observers rely on the main thread,
/// subscribe and dispose there.
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>

/// The strategy of `Signal`: `share(scope: .whileConnected)` on the main queue.
public struct SignalSharingStrategy: SharingStrategyProtocol {
    /// The scheduler on which signals deliver; see `SharingScheduler` for tests.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Shares one subscription to the source.
    public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(scope: .whileConnected)
    }
}
