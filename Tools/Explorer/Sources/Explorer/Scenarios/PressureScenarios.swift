// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A fan-out of one core, with subscribers that a valve pauses, or not.
private final class FanOut {
    private let core = SubjectCore<Element>(name: "fan-out")
    let log = Log()

    /// - Parameter valve: pauses the sources for the subscriber; nil if that pauses none.
    func subscribe(_ valve: Valve?, _ log: Log? = nil) -> SubjectSubscription {
        let sink = ScenarioSink<Element>(next: { log?.next($0.number) }, pauses: { valve?.pauses($0) ?? false })
        let subscription = SubjectSubscription.make(core: core, downstream: sink)
        sink.link(subscription)
        core.add(subscription)
        return subscription
    }

    func next(_ number: Int) { core.next(Element(number)) }

    func pauses(_ source: any PausableSource) -> Bool { core.pauses(source) }
}

/// The weight at which an element is alone in its chunk, which counts one unit.
private let unit: (Element) -> Int = { _ in 1 << 16 }

extension Scenario {
    /// Pauses (law L13). A source whose resume is lost stays parked, which is a deadlock.
    static let pressure: [Scenario] = [
        Scenario(
            "pressure.state",
            "a source that two stages pause, and that is resumed beyond need, is started once per pause"
        ) {
            let source = PausingSource()
            let (first, second) = (Valve(), Valve())
            return Run(
                {
                    source.ask(first.pauses)
                    source.ask(second.pauses)
                },
                {
                    first.open()
                    source.resume()
                },
                { second.open() }
            ) {
                require(source.pauses.value <= 2, "\(source.pauses.value) pauses")
            }
        },
        Scenario(
            "pressure.state-spurious", "a resume without a pause neither starts a source twice nor hides a question"
        ) {
            let source = PausingSource()
            let valve = Valve()
            return Run(
                { source.ask(valve.pauses) }, { for _ in 0..<3 { source.resume() } }, { valve.open() }
            ) {}
        },
        Scenario("pressure.hop", "a source that a full hop pauses goes on once the hop has emptied", preemptions: 2) {
            let turns = Turns()
            let hop = turns.hop(weigh: unit)
            let source = PausingSource()
            for number in 1...2 { hop.next(Element(number)) }
            return Run(
                {
                    for number in 3...4 {
                        hop.next(Element(number))
                        source.ask(hop.pauses)
                    }
                    hop.completed()
                },
                { turns.work(until: 5) }
            ) {
                turns.finish()
                require(turns.order == [1, 2, 3, 4, -1], "\(turns.order)")
            }
        },
        Scenario("pressure.hop-cancel", "a full hop that is cancelled resumes its source, which may be asking") {
            let turns = Turns()
            let hop = turns.hop(weigh: unit)
            let source = PausingSource()
            for number in 1...3 { hop.next(Element(number)) }
            return Run({ source.ask(hop.pauses) }, { hop.cancel() }) { turns.finish() }
        },
        Scenario("pressure.hop-link-cancel", "a full hop is cancelled while it is being linked, and its source asks") {
            let turns = Turns()
            let sink = ScenarioSink<Element>(next: { _ in })
            let hop = ObserveOnSink(downstream: sink, scheduler: turns.queue, weigh: unit)
            let source = PausingSource()
            for number in 1...3 { hop.next(Element(number)) }
            let cancelled = Count()
            return Run(
                {
                    hop.link(ScenarioStage { cancelled.add() })
                    source.ask(hop.pauses)
                    source.ask(hop.pauses)
                },
                { sink.cancel() }
            ) {
                turns.finish()
                require(cancelled.value == 1, "the stage above is cancelled \(cancelled.value) times")
            }
        },
        Scenario(
            "pressure.hop-drain-cancel", "a full hop is drained, and cancelled meanwhile: its source goes on",
            preemptions: 2
        ) {
            let turns = Turns()
            let hop = turns.hop(weigh: unit)
            let source = PausingSource()
            for number in 1...3 { hop.next(Element(number)) }
            return Run(
                {
                    source.ask(hop.pauses)
                    hop.next(Element(4))
                    source.ask(hop.pauses)
                },
                {
                    hop.cancel()
                    turns.submit(11)
                },
                { while turns.order.last != 11 { turns.work(until: turns.order.count + 1) } }
            ) {
                turns.finish()
                require(isInOrder(turns.order.filter { $0 < 11 }, in: [1, 2, 3, 4]), "\(turns.order)")
            }
        },
        Scenario(
            "pressure.hop-paused-below",
            "a hop that its downstream pauses delivers the rest, and its end, when resumed",
            preemptions: 2
        ) {
            let turns = Turns()
            let valve = Valve()
            let hop = turns.hop(weigh: unit, pauses: valve.pauses)
            for number in 1...3 { hop.next(Element(number)) }
            return Run(
                {
                    hop.next(Element(4))
                    hop.completed()
                },
                { turns.work(until: 5) },
                { valve.open() }
            ) {
                turns.finish()
                require(turns.order == [1, 2, 3, 4, -1], "\(turns.order)")
            }
        },
        Scenario(
            "pressure.hop-between", "a hop that its downstream has paused pauses its source, and both go on",
            preemptions: 2
        ) {
            let turns = Turns(batchLimit: 2)
            let valve = Valve()
            let hop = turns.hop(weigh: unit, pauses: valve.pauses)
            let source = PausingSource()
            for number in 1...3 { hop.next(Element(number)) }
            return Run(
                {
                    source.ask(hop.pauses)
                    hop.next(Element(4))
                    source.ask(hop.pauses)
                    hop.completed()
                },
                { turns.work(until: 5) },
                { valve.open() }
            ) {
                turns.finish()
                require(turns.order == [1, 2, 3, 4, -1], "\(turns.order)")
            }
        },
        Scenario(
            "pressure.hop-paused-cancel", "a hop that its downstream has paused is cancelled: its source goes on",
            preemptions: 2
        ) {
            let turns = Turns()
            let valve = Valve()
            let hop = turns.hop(weigh: unit, pauses: valve.pauses)
            let source = PausingSource()
            for number in 1...4 { hop.next(Element(number)) }
            return Run(
                { source.ask(hop.pauses) },
                {
                    hop.cancel()
                    valve.open()
                    turns.submit(11)
                },
                { while turns.order.last != 11 { turns.work(until: turns.order.count + 1) } }
            ) {
                turns.finish()
                require(isInOrder(turns.order.filter { $0 < 11 }, in: [1, 2, 3, 4]), "\(turns.order)")
            }
        },
        Scenario(
            "pressure.hop-rejected", "a paused hop whose scheduler ends drops what it holds, and resumes its source"
        ) {
            let turns = Turns()
            let valve = Valve()
            let hop = turns.hop(weigh: unit, pauses: valve.pauses)
            let source = PausingSource()
            for number in 1...4 { hop.next(Element(number)) }
            turns.queue.drainBatch()
            require(turns.order == [1], "\(turns.order)")
            return Run(
                { source.ask(hop.pauses) },
                {
                    hop.next(Element(5))
                    _ = turns.queue.rejectAll()
                }
            ) {
                valve.open()
                require(turns.order == [1], "\(turns.order)")
            }
        },
        question("pressure.question", threads: nil),
        question("pressure.question-deputy", threads: 3),
        question("pressure.question-no-deputy", threads: 0),
        Scenario("pressure.question-close", "a serializer that is closed while a question waits resumes the source") {
            let valve = Valve()
            let log = Log()
            let sink = SerializedSink<Element>(
                downstream: ScenarioSink(next: { log.next($0.number) }, pauses: valve.pauses))
            let source = PausingSource()
            return Run(
                { sink.next(Element(1)) },
                {
                    sink.next(Element(11))
                    source.ask(sink.pauses)
                },
                {
                    // As a stage below does that is cancelled: first the stages above, then its waiting sources.
                    sink.cancel()
                    valve.open()
                }
            ) {
                require(Set(log.numbers).count == log.numbers.count, "\(log.numbers)")
            }
        },
        Scenario(
            "pressure.fan-out-late-subscriber", "a subscriber that comes resumes the source that all others have paused"
        ) {
            let fan = FanOut()
            let source = PausingSource()
            let valve = Valve()
            var subscriptions = [fan.subscribe(valve)]
            return Run({ source.ask(fan.pauses) }, { subscriptions.append(fan.subscribe(nil)) }) {
                for subscription in subscriptions { subscription.cancel() }
            }
        },
        Scenario("pressure.fan-out-last-leaves", "the last subscriber that leaves resumes the source") {
            let fan = FanOut()
            let source = PausingSource()
            let valve = Valve()
            let subscription = fan.subscribe(valve)
            return Run(
                { source.ask(fan.pauses) },
                {
                    subscription.cancel()
                    valve.open()
                }
            ) {}
        },
        Scenario(
            "pressure.fan-out-one-leaves",
            "a subscriber that does not pause the source leaves, and one that does resumes it later", preemptions: 2
        ) {
            let fan = FanOut()
            let source = PausingSource()
            let valve = Valve()
            let subscriptions = [fan.subscribe(valve), fan.subscribe(nil)]
            return Run(
                {
                    source.ask(fan.pauses)
                    source.ask(fan.pauses)
                },
                { subscriptions[1].cancel() }, { valve.open() }
            ) {
                subscriptions[0].cancel()
            }
        },
        Scenario(
            "pressure.fan-out-busy", "a question waits behind an emission of another thread, while a subscriber comes",
            preemptions: 2
        ) {
            let fan = FanOut()
            let source = PausingSource()
            let valve = Valve()
            let log = Log()
            var subscriptions = [fan.subscribe(valve, log)]
            return Run(
                { fan.next(1) },
                {
                    fan.next(11)
                    source.ask(fan.pauses)
                },
                { subscriptions.append(fan.subscribe(nil)) }
            ) {
                require(log.numbers.sorted() == [1, 11], "\(log.numbers)")
                for subscription in subscriptions { subscription.cancel() }
            }
        },
    ]

    /// A source asks at a serializer that another thread drains.
    ///
    /// - Parameter threads: the number of deputies; nil if the drainer does all work itself.
    private static func question(_ name: String, threads: Int?) -> Scenario {
        let claim = "a question that waits at a busy serializer is answered, and its source goes on"
        func prepare() -> Run {
            let valve = Valve()
            let log = Log()
            let sink = SerializedSink<Element>(
                downstream: ScenarioSink(next: { log.next($0.number) }, pauses: valve.pauses))
            let source = PausingSource()
            return Run(
                { sink.next(Element(1)) },
                {
                    sink.next(Element(11))
                    source.ask(sink.pauses)
                    sink.next(Element(12))
                },
                { valve.open() },
                check: {
                    require(
                        log.numbers.sorted() == [1, 11, 12] && isInOrder([11, 12], in: log.numbers), "\(log.numbers)")
                    sink.cancel()
                })
        }
        guard let threads else { return Scenario(name, claim, preemptions: 2, prepare: prepare) }
        return withDeputies(name, claim, threads: threads, preemptions: 2, prepare: prepare)
    }
}
