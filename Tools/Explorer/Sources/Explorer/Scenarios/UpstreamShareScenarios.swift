// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// A source that several shares hold, and the number of its cancellations.
private struct Shared {
    let upstream = SharedUpstream()
    let cancellations = Count()

    init() { upstream.link(ScenarioStage { [cancellations] in cancellations.add() }) }

    /// Sends more elements than a source may send that nobody wants.
    func sendMany() { for _ in 0..<1_030 { upstream.countUnwanted() } }
}

extension Scenario {
    static let upstreamShares: [Scenario] = [
        Scenario(
            "upstream-share.late-group",
            "who subscribes to a group while the result is disposed of gets its elements, or keeps nothing",
            preemptions: 3
        ) {
            let source = PublishSubject<Element>()
            var group: Observable<Element>?
            let result = source.groupBy { _ in 0 }.subscribe(onNext: { group = $0.asObservable() })
            source.onNext(Element(1))
            let log = Log()
            var subscription: (any Disposable)?
            return Run({ result.dispose() }, { subscription = log.observe(group!) }) {
                let isSubscribed = source.hasObservers
                source.onNext(Element(2))
                require(log.numbers == (isSubscribed ? [2] : []), "\(log.numbers), subscribed: \(isSubscribed)")
                if isSubscribed { subscription?.dispose() }
                require(!source.hasObservers, "still subscribed")
                group = nil
            }
        },
        Scenario(
            "upstream-share.late-end",
            "who subscribes to a group while the source ends gets that end", preemptions: 3
        ) {
            let source = PublishSubject<Element>()
            var group: Observable<Element>?
            let result = source.groupBy { _ in 0 }.subscribe(onNext: { group = $0.asObservable() })
            source.onNext(Element(1))
            var hasEnded = false
            var subscription: (any Disposable)?
            return Run(
                { source.onCompleted() },
                { subscription = group!.subscribe(onCompleted: { hasEnded = true }) }
            ) {
                require(hasEnded, "no end")
                subscription?.dispose()
                result.dispose()
                group = nil
            }
        },
        Scenario(
            "upstream-share.take-and-release", "a source is cancelled once, and not while a share is held",
            preemptions: 3
        ) {
            let shared = Shared()
            let first = UpstreamShare(shared.upstream)
            var later: UpstreamShare?
            return Run(
                { first.cancel() },
                {
                    let share = UpstreamShare(shared.upstream)
                    if !share.isReleased { later = share }
                },
                {
                    let share = UpstreamShare(shared.upstream)
                    if !share.isReleased { share.cancel() }
                }
            ) {
                require(
                    shared.cancellations.value == (later == nil ? 1 : 0),
                    "cancelled \(shared.cancellations.value) times")
                later?.cancel()
                require(shared.cancellations.value == 1, "cancelled \(shared.cancellations.value) times")
            }
        },
        Scenario(
            "upstream-share.wanted-again",
            "a source ends if nobody wants it, and only then, whatever the order in which its shares tell so",
            preemptions: 3
        ) {
            let shared = Shared()
            let (first, second) = (UpstreamShare(shared.upstream), UpstreamShare(shared.upstream))
            return Run(
                { first.abandonSubscription() }, { second.connectionChanged(isWanted: false) },
                { second.connectionChanged(isWanted: true) }
            ) {
                shared.sendMany()
                require(!shared.upstream.isCancelled, "ended although it is wanted")
                second.connectionChanged(isWanted: false)
                shared.sendMany()
                require(shared.upstream.isCancelled, "not ended")
                require(shared.cancellations.value == 0, "cancelled while it is held")
                first.cancel()
                second.cancel()
                require(shared.cancellations.value == 1, "cancelled \(shared.cancellations.value) times")
            }
        },
        Scenario(
            "upstream-share.unwanted-again", "a source that is wanted for a moment ends once nobody wants it",
            preemptions: 3
        ) {
            let shared = Shared()
            let share = UpstreamShare(shared.upstream)
            share.connectionChanged(isWanted: false)
            return Run({ share.connectionChanged(isWanted: true) }, { share.connectionChanged(isWanted: false) }) {
                shared.sendMany()
                require(shared.upstream.isCancelled, "not ended")
                share.cancel()
                require(shared.cancellations.value == 1, "cancelled \(shared.cancellations.value) times")
            }
        },
        Scenario(
            "upstream-share.release-beside-a-change", "a share that is released while it changes is counted once",
            preemptions: 3
        ) {
            let shared = Shared()
            let (first, second) = (UpstreamShare(shared.upstream), UpstreamShare(shared.upstream))
            return Run(
                { first.cancel() }, { first.connectionChanged(isWanted: false) },
                { first.connectionChanged(isWanted: true) }
            ) {
                shared.sendMany()
                require(!shared.upstream.isCancelled, "ended although it is wanted")
                second.abandonSubscription()
                shared.sendMany()
                require(shared.upstream.isCancelled, "not ended")
                second.cancel()
                require(shared.cancellations.value == 1, "cancelled \(shared.cancellations.value) times")
            }
        },
        Scenario(
            "upstream-share.taken-beside-the-end",
            "a share that is taken as the source ends unwanted is refused or gets the elements",
            preemptions: 3
        ) {
            let shared = Shared()
            let first = UpstreamShare(shared.upstream)
            first.abandonSubscription()
            for _ in 0..<1_025 { shared.upstream.countUnwanted() }
            var later: UpstreamShare?
            return Run({ shared.upstream.countUnwanted() }, { later = UpstreamShare(shared.upstream) }) {
                require(later!.isReleased == shared.upstream.isCancelled, "refused: \(later!.isReleased)")
                later?.cancel()
                first.cancel()
                require(shared.cancellations.value == 1, "cancelled \(shared.cancellations.value) times")
            }
        },
    ]
}
