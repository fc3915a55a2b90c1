// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Tells how many bytes a connection delivers at once, so that what its subscriber does with them takes about a turn of the loop.
///
/// The peer chooses how much work a byte means: a chunk of 256 KiB may hold as many empty lines, at half a microsecond each.
struct DeliveryPace {
    /// The number of bytes to be delivered at once.
    private(set) var limit = DeliveryPace.usual
    /// The bytes of the last delivery that was timed, and its time.
    private var last = (count: 0, ticks: 0.0)
    /// The number of deliveries for which `limit` is not to be less than `usual`.
    private var usualLeft = 0

    /// What a subscriber gets before it is known how fast it is.
    private static let usual = ReceivePool.Kind.usual.size
    /// However slow the subscriber is. Fewer bytes are not timed.
    private static let least = 4_096
    /// The number of deliveries of less than `usual` since more was tried.
    private var small = 0
    /// The number of deliveries until it is tried again whether less takes less time, or more as long.
    private static let deliveriesInVain = 64
    private static let turn = Double(ProcessorCounter.ticks(nanoseconds: EventLoop.turnTime))

    /// The number of bytes to be delivered at once of so many.
    func piece(of count: Int) -> Int { count <= DeliveryPace.least ? count : min(count, limit) }

    /// The time before a delivery of so many bytes, to be passed to `delivered`; nil if that is not timed.
    func start(_ count: Int) -> UInt64? {
        count < DeliveryPace.least ? nil : ProcessorCounter.now()
    }

    /// Learns from the time that a delivery has taken.
    mutating func delivered(_ count: Int, since start: UInt64) {
        // A thread that moves to another processor may see less time than none.
        learn(count, Double(Int64(bitPattern: ProcessorCounter.now() &- start)))
    }

    /// A delivery that was held up by other work of the machine changes little.
    private mutating func learn(_ count: Int, _ ticks: Double) {
        // A subscriber that takes as long for less, as for a transaction each, would only get more of them.
        let takesAsLongForLess = count <= last.count / 2 && ticks > last.ticks / 2
        let tookAsLongForLess = last.count <= count / 2 && last.ticks > ticks / 2
        if takesAsLongForLess || tookAsLongForLess { usualLeft = DeliveryPace.deliveriesInVain }
        last = (count, ticks)
        let inTurn = Double(count) * DeliveryPace.turn / max(ticks, 1)
        let least = usualLeft > 0 ? DeliveryPace.usual : DeliveryPace.least
        if usualLeft > 0 { usualLeft -= 1 }
        limit = max(Int(min(max(inTurn, Double(limit) / 4), Double(limit) * 4, 1e9)), least)
        // One delivery that was held up would otherwise make all later ones small.
        small = limit < DeliveryPace.usual ? small + 1 : 0
        if small == DeliveryPace.deliveriesInVain { (limit, small) = (DeliveryPace.usual, 0) }
    }
}
