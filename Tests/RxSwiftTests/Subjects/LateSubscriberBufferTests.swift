// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct LateSubscriberBufferTests {
    /// The race: a subscription is cancelled, and released by the delivering thread, while its own thread puts the replay
    /// buffer in front of it.
    @Test("A late subscriber that is cancelled while it subscribes is released") func cancelledSubscriber() {
        for _ in 0..<300 {
            weak var token: ReleaseToken?
            do {
                let captured = ReleaseToken()
                token = captured
                let (outer, other) = (BehaviorSubject(value: 0), PublishSubject<Int>())
                let replayed = ReplaySubject<Int>.create(bufferSize: 2)
                let latest = outer.flatMapLatest { _ in other.amb(replayed) }.do(onNext: { _ in
                    withExtendedLifetime(captured) {}
                })
                let subscriptions = [latest.subscribe(), latest.subscribe()]
                let emit: @Sendable () -> Void = {
                    for number in 0..<60 {
                        other.onNext(number)
                        outer.onNext(number)
                        replayed.onNext(number)
                    }
                }
                race(emit, emit)
                outer.onCompleted()
                other.onCompleted()
                replayed.onCompleted()
                for subscription in subscriptions { subscription.dispose() }
            }
            // A deputy may hold the last events for a moment.
            #expect(settles { token == nil })
        }
    }
}
