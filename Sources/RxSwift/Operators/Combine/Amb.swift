// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

extension ObservableType {
    /// Mirrors the first of several sequences that sends an event.
    ///
    /// Subscribes to all, in order, and cancels those that lose. Without sequences, never sends anything.
    /// - Parameter sequence: the sequences, which are iterated inside this call.
    /// - SeeAlso: [Amb](https://reactivex.io/documentation/operators/amb.html)
    public static func amb<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> Observable<Element> where Sequence.Element == Observable<Element> {
        Amb(Array(sequence))
    }

    /// Mirrors this sequence or another one, depending on which sends an event first.
    ///
    /// Subscribes to this one first, to the other one in any case, and cancels the one that loses.
    /// - Parameter right: the other sequence.
    /// - SeeAlso: [Amb](https://reactivex.io/documentation/operators/amb.html)
    public func amb<O2: ObservableType>(
        _ right: O2
    ) -> Observable<Element> where O2.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }
}

private final class Amb<Element>: Observable<Element>, @unchecked Sendable {
    private let sources: [Observable<Element>]

    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        let race = AmbRace(links: sources.map { _ in UpstreamLink() })
        downstream.link(race)
        for (index, source) in sources.enumerated() {
            source.subscribeCore(AmbSink(index: index, race: race, downstream: downstream))
        }
    }
}

/// Decides which source of an amb is first. One atomic step decides; the events of the winner need no serialization after that,
/// since they come from one source.
package final class AmbRace: Stage {
    private let links: [UpstreamLink]

    /// 0 while undecided, else 1 + the index of the winner, which never changes.
    private let winner = AtomicWord(0)

    package init(links: [UpstreamLink]) {
        self.links = links
        super.init()
    }

    /// Tells whether a source may pass an event on. The first source to ask wins, for ever; the subscriptions of all others end.
    package func admits(_ index: Int) -> Bool {
        let tag = UInt(index) + 1
        let known = winner.loadRelaxed()
        if known != 0 { return known == tag && !isCancelled }
        guard winner.compareExchange(0, tag) else { return false }
        for (other, link) in links.enumerated() where other != index { link.cancel() }
        return !isCancelled
    }

    /// True if a source has won.
    func isWon(by index: Int) -> Bool { winner.loadRelaxed() == UInt(index) + 1 }

    func link(_ index: Int, to stage: Stage) { links[index].link(stage) }

    /// Ends a source that has sent its terminal event.
    func end(_ index: Int) { links[index].cancel() }

    package override func forEachFurtherLink(_ body: (Stage) -> Void) {
        for link in links { body(link) }
    }

    package override func quiesceBoundary() -> UInt { quiesce() }

    package override func cancel() {
        guard takeUpstream() != nil else { return }
        for link in links { link.cancel() }
    }
}

private final class AmbSink<Element>: Sink<Element> {
    private let index: Int
    private let race: AmbRace
    private let downstream: Sink<Element>

    init(index: Int, race: AmbRace, downstream: Sink<Element>) {
        self.index = index
        self.race = race
        self.downstream = downstream
        super.init()
    }

    override func link(_ stage: Stage) { race.link(index, to: stage) }

    override func next(_ element: Element) {
        if race.admits(index) { downstream.next(element) }
    }

    override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    override func pauses(_ source: any PausableSource) -> Bool { race.isWon(by: index) && downstream.pauses(source) }

    override func error(_ error: any Swift.Error) {
        if race.admits(index) { downstream.error(error) }
        race.end(index)
    }

    override func completed() {
        if race.admits(index) { downstream.completed() }
        race.end(index)
    }
}
