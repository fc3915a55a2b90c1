// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift

/// A stage above, made by the thread that links it, which counts how often it is cancelled.
private final class Upper {
    let cancellations = Count()

    func makeStage() -> ScenarioStage {
        let element = Element(7)
        return ScenarioStage { [cancellations] in
            requireNoLock()
            require(element.number == 7, "a stage is cancelled before it was made")
            cancellations.add()
        }
    }
}

extension Scenario {
    static let stages: [Scenario] = [
        Scenario("stage.link-and-cancel", "a stage that is linked while two threads cancel is cancelled once") {
            let stage = Stage()
            let upper = Upper()
            return Run({ stage.link(upper.makeStage()) }, { stage.cancel() }, { stage.cancel() }) {
                require(upper.cancellations.value == 1, "cancelled \(upper.cancellations.value) times")
                require(stage.isCancelled, "not cancelled")
            }
        },
        Scenario(
            "stage.quiesce-and-cancel",
            "a stage that is quiesced while a thread links and another cancels is cancelled once"
        ) {
            let stage = Stage()
            let upper = Upper()
            return Run({ stage.link(upper.makeStage()) }, { stage.quiesceUpstream() }, { stage.cancel() }) {
                require(upper.cancellations.value == 1, "cancelled \(upper.cancellations.value) times")
                require(stage.isCancelled, "not cancelled")
            }
        },
        Scenario(
            "stage.quiesce-twice", "a stage that two threads quiesce is cancelled once, and not before it is cancelled"
        ) {
            let stage = Stage()
            let upper = Upper()
            stage.link(upper.makeStage())
            return Run({ stage.quiesceUpstream() }, { stage.quiesceUpstream() }) {
                require(upper.cancellations.value == 0, "cancelled by quiescing")
                require(stage.isCancelled, "not quiesced")
                stage.cancel()
                require(upper.cancellations.value == 1, "cancelled \(upper.cancellations.value) times")
            }
        },
        Scenario(
            "stage.abandon-and-cancel",
            "a stage that is abandoned while a thread quiesces and another cancels is cancelled once"
        ) {
            let stage = Stage()
            let upper = Upper()
            stage.link(upper.makeStage())
            return Run({ stage.abandonUpstream() }, { stage.quiesceUpstream() }, { stage.cancel() }) {
                require(upper.cancellations.value == 1, "cancelled \(upper.cancellations.value) times")
                require(stage.isCancelled, "not cancelled")
            }
        },
        Scenario("stage.disposable", "a subscription disposed of while it is made cancels what is made, once") {
            let subscription = SubscriptionDisposable()
            let upper = Upper()
            return Run({ subscription.link(upper.makeStage()) }, { subscription.dispose() }, { subscription.unlink() })
            {
                require(upper.cancellations.value == 1, "cancelled \(upper.cancellations.value) times")
            }
        },
        Scenario(
            "create.two-threads",
            "two threads that use one observer: one call at a time, nothing behind the end, all released"
        ) {
            var observer: AnyObserver<Element>?
            let resource = Resource()
            let source = Observable<Element>.create {
                observer = $0
                return resource
            }
            let log = Log()
            let subscription = log.observe(source)
            let (first, second) = (observer!, observer!)
            observer = nil
            return Run(
                {
                    first.onNext(Element(1))
                    first.onCompleted()
                },
                {
                    second.onNext(Element(11))
                    second.onNext(Element(12))
                }
            ) {
                require(log.ends == 1 && log.numbers.contains(1), "\(log.numbers), ends \(log.ends)")
                require(isInOrder(log.numbers.filter { $0 > 10 }, in: [11, 12]), "\(log.numbers)")
                require(resource.isDisposed, "what the closure returned is not disposed of")
                subscription.dispose()
            }
        },
        Scenario(
            "create.dispose",
            "an observer in use by two threads whose subscription is disposed of: all is released, once"
        ) {
            var observer: AnyObserver<Element>?
            let resource = Resource()
            let source = Observable<Element>.create {
                observer = $0
                return resource
            }
            let log = Log()
            let subscription = log.observe(source)
            let (first, second) = (observer!, observer!)
            observer = nil
            return Run(
                { first.onNext(Element(1)) }, { second.onError(Expected.failure) }, { subscription.dispose() }
            ) {
                require(log.ends <= 1, "ends \(log.ends)")
                require(resource.isDisposed, "what the closure returned is not disposed of")
            }
        },
    ]

    static let operators: [Scenario] = [
        Scenario(
            "operator.merge",
            "two threads' events, one of which ends: all arrive, one at a time, and the end comes last", preemptions: 2
        ) {
            let (left, right) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(Observable.merge(left, right))
            return Run(
                {
                    left.onNext(Element(1))
                    left.onCompleted()
                },
                {
                    right.onNext(Element(11))
                    right.onCompleted()
                }
            ) {
                require(log.numbers.sorted() == [1, 11] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                subscription.dispose()
            }
        },
        Scenario(
            "operator.merge-dispose", "a merge that is disposed of while two threads emit keeps nothing", preemptions: 2
        ) {
            let (left, right) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(Observable.merge(left, right))
            return Run(
                { left.onNext(Element(1)) }, { right.onNext(Element(11)) }, { subscription.dispose() }
            ) {
                require(!left.hasObservers && !right.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "operator.combine-latest", "each pair is one that was current, and the last one comes last", preemptions: 2
        ) {
            let (left, right) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(
                Observable.combineLatest(left, right) { Element($0.number * 100 + $1.number) })
            return Run(
                {
                    left.onNext(Element(1))
                    left.onNext(Element(2))
                }, { right.onNext(Element(11)) }
            ) {
                require([[111, 211], [211]].contains(log.numbers), "\(log.numbers)")
                subscription.dispose()
            }
        },
        Scenario("operator.zip", "pairs come one at a time, and the end when both sources have ended", preemptions: 2) {
            let (left, right) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(Observable.zip(left, right) { Element($0.number * 100 + $1.number) })
            return Run(
                {
                    left.onNext(Element(1))
                    left.onCompleted()
                },
                {
                    right.onNext(Element(11))
                    right.onCompleted()
                }
            ) {
                require(log.numbers == [111] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                subscription.dispose()
                require(!left.hasObservers && !right.hasObservers, "still subscribed")
            }
        },
        Scenario(
            "operator.take-until", "nothing comes behind the end that the other source brings, and both are let go of",
            preemptions: 2
        ) {
            let (source, other) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(source.take(until: other))
            return Run(
                {
                    source.onNext(Element(1))
                    source.onNext(Element(2))
                }, { other.onNext(Element(0)) }
            ) {
                require(log.ends == 1 && isInOrder(log.numbers, in: [1, 2]), "\(log.numbers), ends \(log.ends)")
                require(!source.hasObservers && !other.hasObservers, "still subscribed")
                subscription.dispose()
            }
        },
        Scenario(
            "operator.take-until-quiet",
            "no closure above runs for an element that comes when the end is being delivered",
            preemptions: 2
        ) {
            let (source, other) = (PublishSubject<Element>(), PublishSubject<Element>())
            let hasEnded = AtomicWord(0)
            var callsBefore: Int?
            var calls = 0
            let subscription = source.do(onNext: { _ in calls += 1 }).take(until: other).subscribe(onCompleted: {
                hasEnded.storeReleasing(1)
            })
            return Run(
                {
                    source.onNext(Element(1))
                    if hasEnded.loadAcquiring() != 0 { callsBefore = calls }
                    source.onNext(Element(2))
                }, { other.onNext(Element(0)) }
            ) {
                if let callsBefore { require(calls == callsBefore, "a closure ran after the end") }
                require(!source.hasObservers && !other.hasObservers, "still subscribed")
                subscription.dispose()
            }
        },
        Scenario(
            "operator.take-until-subscribing", "a source whose subscription ends while it is being made is let go of",
            preemptions: 2
        ) {
            let (source, other) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            var subscription: (any Disposable)?
            return Run({ subscription = log.observe(source.take(until: other)) }, { other.onNext(Element(0)) }) {
                other.onNext(Element(0))
                require(log.ends == 1, "ends \(log.ends)")
                require(!source.hasObservers && !other.hasObservers, "still subscribed")
                subscription?.dispose()
            }
        },
        Scenario(
            "operator.take", "take(1) of a source of two threads lets one element through, and lets the source go",
            preemptions: 2
        ) {
            let source = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(source.take(1))
            return Run(
                { source.onNext(Element(1)) }, { source.onNext(Element(11)) }
            ) {
                require(log.numbers.count == 1 && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                require(!source.hasObservers, "still subscribed")
                subscription.dispose()
            }
        },
        Scenario(
            "operator.sample", "a tick sends what came before it, also where several ticks wait", preemptions: 5
        ) {
            let (source, sampler) = (ScenarioSource<Element>(), PublishSubject<Element>())
            let log = Log()
            let sent = AtomicWord(0)
            var sourceThread: UInt?
            let subscription = source.sample(sampler).subscribe(onNext: { element in
                log.next(element.number)
                guard element.number == 1, sourceThread == CurrentThread.identity else { return }
                // Behind the ticks that wait.
                source.next(Element(2))
                sent.storeReleasing(2)
            })
            var needed = 0
            return Run(
                {
                    sourceThread = CurrentThread.identity
                    source.next(Element(1))
                    source.next(Element(3))
                    sent.storeReleasing(3)
                    source.next(Element(4))
                },
                {
                    sampler.onNext(Element(0))
                    sampler.onNext(Element(0))
                    needed = Int(sent.loadAcquiring())
                    sampler.onNext(Element(0))
                }
            ) {
                require(isInOrder(log.numbers, in: [1, 2, 3, 4]), "\(log.numbers)")
                require((log.numbers.last ?? 0) >= needed, "\(log.numbers), not \(needed)")
                subscription.dispose()
                source.letGo()
            }
        },
        Scenario(
            "operator.switch-latest", "of a source that was replaced nothing comes any more, and it is let go of",
            preemptions: 2
        ) {
            let (outer, first, second) = (
                PublishSubject<Observable<Element>>(), PublishSubject<Element>(), PublishSubject<Element>()
            )
            let log = Log()
            let subscription = log.observe(outer.switchLatest())
            outer.onNext(first)
            return Run(
                {
                    outer.onNext(second)
                    second.onNext(Element(11))
                }, { first.onNext(Element(1)) }
            ) {
                require([[1, 11], [11]].contains(log.numbers), "\(log.numbers)")
                require(!first.hasObservers, "the first one is still subscribed to")
                subscription.dispose()
                require(!second.hasObservers, "the second one is still subscribed to")
            }
        },
        Scenario(
            "operator.timeout-other-ends",
            "a sequence gone over to that ends while the operator is disposed of is let go of", preemptions: 3
        ) {
            let scheduler = HeldTimer()
            let other = PublishSubject<Element>()
            other.onCompleted()
            let log = Log()
            let subscription = log.observe(
                Observable<Element>.never().timeout(.seconds(1), other: other, scheduler: scheduler))
            let fire = scheduler.take()
            return Run({ fire() }, { subscription.dispose() }) { require(log.ends <= 1, "ends \(log.ends)") }
        },
        inner("operator.switch-latest-inner-ends") { $0.switchLatest() },
        inner("operator.merge-inner-ends") { $0.merge() },
        inner("operator.concat-inner-ends") { $0.concat() },
        Scenario(
            "operator.take-dispose",
            "take(1) of a source of two threads lets one element through also while it is disposed of", preemptions: 2
        ) {
            let source = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(source.take(1))
            return Run(
                { source.onNext(Element(1)) }, { source.onNext(Element(11)) }, { subscription.dispose() }
            ) {
                require(log.numbers.count <= 1 && log.ends <= 1, "\(log.numbers), ends \(log.ends)")
                require(!source.hasObservers, "still subscribed")
            }
        },
    ]

    /// Scenarios that fail: what they show is to be corrected in the library.
    static let findings: [Scenario] = []

    /// An inner source ends while another thread ends the operator.
    private static func inner(
        _ name: String, _ flatten: @escaping (Observable<Observable<Element>>) -> Observable<Element>
    ) -> Scenario {
        Scenario(name, "an inner source that ends while the operator is ended is let go of", preemptions: 3) {
            let (outer, first) = (PublishSubject<Observable<Element>>(), PublishSubject<Element>())
            let (second, other) = (PublishSubject<Element>(), PublishSubject<Element>())
            let log = Log()
            let subscription = log.observe(flatten(outer).take(until: other))
            outer.onNext(first.take(until: second))
            return Run({ second.onNext(Element(1)) }, { other.onNext(Element(0)) }) {
                require(log.ends == 1, "ends \(log.ends)")
                require(!first.hasObservers && !second.hasObservers && !outer.hasObservers, "still subscribed")
                subscription.dispose()
            }
        }
    }
}

/// A scheduler that keeps the timer that was set last, for a thread to run.
private final class HeldTimer: SchedulerType {
    let now = Date(timeIntervalSince1970: 0)
    private var action: (() -> Void)?

    func take() -> () -> Void { action.take() ?? {} }

    func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
    ) -> any Disposable {
        self.action = { _ = action(state) }
        return Disposables.create()
    }
}
