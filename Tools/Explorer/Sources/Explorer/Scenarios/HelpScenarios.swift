// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension Scenario {
    /// Work of other threads on a thread's trampoline, of which it does one piece or none.
    static let help: [Scenario] = [
        hop("help.hop", threads: 3), hop("help.hop-at-once", eventLimit: 0, threads: 3),
        hop("help.hop-no-deputy", eventLimit: 0, threads: 0),
        limitedMerge("help.concat-map", slots: 1, threads: 3),
        limitedMerge("help.concat-map-at-once", eventLimit: 0, slots: 1, threads: 3),
        limitedMerge("help.concat-map-no-deputy", eventLimit: 0, slots: 1, threads: 0),
        limitedMerge("help.merge-two", eventLimit: 0, slots: 2, threads: 3),
        withDeputies(
            "help.hop-dispose", "a hop is disposed of while a deputy has its events", eventLimit: 0, preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject.observe(on: CurrentThreadScheduler.instance))
            return Run(
                { onTrampoline { subject.onNext(Element(1)) } }, { subject.onNext(Element(11)) },
                { subscription.dispose() }
            ) {
                require(Set(log.numbers).count == log.numbers.count && log.ends == 0, "\(log.numbers)")
                require(!subject.hasObservers, "still subscribed")
            }
        },
        withDeputies(
            "help.concat-map-dispose", "`concatMap` is disposed of while a deputy has its next source", eventLimit: 0,
            preemptions: 2
        ) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(subject.concatMap { Observable.of($0, $0) })
            return Run(
                { onTrampoline { subject.onNext(Element(1)) } }, { subject.onNext(Element(11)) },
                { subscription.dispose() }
            ) {
                require(log.numbers.count <= 4 && log.ends == 0, "\(log.numbers)")
                require(!subject.hasObservers, "still subscribed")
            }
        },
    ]

    private static func hop(_ name: String, eventLimit: Int = 1, threads: Int) -> Scenario {
        emitters(name, "a hop on the trampoline loses and swaps nothing", 1, eventLimit: eventLimit, threads: threads) {
            $0.observe(on: CurrentThreadScheduler.instance)
        }
    }

    private static func limitedMerge(_ name: String, eventLimit: Int = 1, slots: Int, threads: Int) -> Scenario {
        emitters(
            name, "sources that wait for a slot come, in order", 2, slots: slots, eventLimit: eventLimit,
            threads: threads
        ) {
            // Its elements are steps on the trampoline: the source is under way while others come.
            $0.map { Observable.of($0, $0) }.merge(maxConcurrent: slots)
        }
    }

    /// Two threads that emit from callbacks.
    ///
    /// - Parameter times: how often each element comes.
    private static func emitters(
        _ name: String, _ claim: String, _ times: Int, slots: Int = 1, eventLimit: Int, threads: Int,
        through operators: @escaping (Observable<Element>) -> Observable<Element>
    ) -> Scenario {
        withDeputies(name, claim, eventLimit: eventLimit, threads: threads, preemptions: 2) {
            let subject = PublishSubject<Element>()
            let log = Log()
            let subscription = log.observe(operators(subject))
            return Run(
                {
                    onTrampoline {
                        subject.onNext(Element(1))
                        subject.onNext(Element(2))
                    }
                },
                {
                    onTrampoline {
                        subject.onNext(Element(11))
                        subject.onNext(Element(12))
                    }
                }
            ) {
                let expected = [1, 2, 11, 12].flatMap { Array(repeating: $0, count: times) }
                require(log.numbers.sorted() == expected, "\(log.numbers)")
                // Two slots on two threads race.
                for (first, second) in slots > 1 ? [] : [(1, 2), (11, 12)] {
                    let begins = log.numbers.firstIndex(of: first)! < log.numbers.firstIndex(of: second)!
                    require(begins, "order: \(log.numbers)")
                }
                subscription.dispose()
            }
        }
    }
}

/// Runs a body in a callback of the calling thread's trampoline.
private func onTrampoline(_ body: @escaping () -> Void) {
    nonisolated(unsafe) let body = body
    _ = CurrentThreadScheduler.instance.schedule(()) {
        body()
        return Disposables.create()
    }
}
