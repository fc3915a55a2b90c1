// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A stream that delivers what it has received in pieces.
protocol PiecewiseDelivery: AnyObject {
    /// Delivers the next piece. Called on the loop thread.
    func continueDelivery()
}

/// The streams of a loop that have more to deliver: a piece each in turn, for as long as each lane of the loop has. Used on the loop thread only.
///
/// Holds each stream once at most, with one chunk that it has received: as many as the loop has connections, files and pipes to read.
final class DeliveryQueue: TickObserver {
    /// Those before `first` have had their turn.
    @exclusivity(unchecked) private var waiting: [(any PiecewiseDelivery)?] = []
    @exclusivity(unchecked) private var first = 0

    private unowned let loop: EventLoop
    /// The time for a delivery, in ticks of `ProcessorCounter`.
    static let longestSlice = ProcessorCounter.ticks(nanoseconds: EventLoop.turnTime)
    private static let shortestSlice = longestSlice / 20
    /// The streams that wait for the next piece before the time of each is cut.
    private static let fewStreams = 10

    private let turn = TurnBudget(steps: .max, nanoseconds: EventLoop.turnTime)

    init(_ loop: EventLoop) { self.loop = loop }

    /// Sets the time that a delivery may take: less if many streams wait, so that it is not long until each has its turn.
    private func adjustSlice() {
        let count = max(waiting.count - first, DeliveryQueue.fewStreams)
        loop.deliverySlice = max(
            DeliveryQueue.longestSlice * UInt64(DeliveryQueue.fewStreams) / UInt64(count), DeliveryQueue.shortestSlice)
    }

    /// Has `stream` deliver its next piece behind those that wait already. It must not be waiting.
    func add(_ stream: any PiecewiseDelivery) {
        if waiting.isEmpty { loop.notifyAtEndOfTick(self) }
        waiting.append(stream)
        adjustSlice()
    }

    func tickEnded() {
        // The subscribers are told that the loop ends, not a part of what came before.
        if loop.isClosed { first = waiting.count }
        turn.begin()
        while first < waiting.count {
            let stream = waiting[first].take()
            first += 1
            adjustSlice()
            stream?.continueDelivery()
            if turn.isOver { break }
        }
        if first < waiting.count { loop.notifyAtEndOfTick(self) }
        // Streams that come back each time would let the list grow for ever.
        if first >= waiting.count / 2 {
            waiting.removeFirst(first)
            first = 0
        }
    }
}
