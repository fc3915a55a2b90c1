// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The delivery of a chunk by a connection, a file or a pipe to its subscriber, and the rest that the subscriber did not use. Used on the loop
/// thread only.
///
/// A stage that cuts chunks into pieces, such as `lines`, puts bytes back when its subscriber leaves behind a piece, or when its time is over. The
/// former belong to the next subscriber of the connection: a header may be followed by a body of another form. With the latter the stage goes on.
struct ChunkDelivery {
    /// The time that the subscriber may take, in ticks of `ProcessorCounter`.
    private var ticks: UInt64 = 0
    private var rest: ByteChunk?

    /// Begins a delivery. Returns the one around it, if there is one, to be passed to `end`.
    mutating func begin(ticks: UInt64) -> ChunkDelivery {
        let outer = self
        self = ChunkDelivery(ticks: ticks)
        return outer
    }

    /// Ends it, and returns the rest.
    mutating func end(_ outer: ChunkDelivery) -> ByteChunk? {
        let left = rest
        self = outer
        return left
    }

    /// The delivery of a chunk as seen by the subscriber, which cuts it into pieces.
    struct Slice {
        /// Nil if the stage has to use the whole chunk.
        private let loop: Unmanaged<EventLoop>?
        private let start = ProcessorCounter.now()
        /// The number of pieces until the next look at the clock.
        private var piecesLeft = Slice.piecesPerLook

        private static let piecesPerLook = 3

        /// - Parameter isDirect: whether the stage is itself the subscriber of such a source. What another one put back would be emitted twice
        ///   to its neighbours.
        init(isDirect: Bool) { loop = isDirect ? LoopRegistry.current : nil }

        /// Tells, behind each piece, whether the stage is to put back the rest.
        mutating func isOver() -> Bool {
            guard let loop else { return false }
            piecesLeft -= 1
            if piecesLeft > 0 { return false }
            piecesLeft = Slice.piecesPerLook
            // A negative span comes from a move to another processor.
            return loop._withUnsafeGuaranteedRef { ProcessorCounter.now() &- start >= $0.delivery.ticks }
        }

        /// Puts back the bytes that the stage has not used.
        func putBack(_ rest: ByteChunk) {
            if !rest.isEmpty { loop?._withUnsafeGuaranteedRef { $0.delivery.rest = rest } }
        }
    }
}

extension EventLoop {
    /// Begins the delivery of a chunk: see `ChunkDelivery.begin`.
    func beginDelivery() -> ChunkDelivery {
        delivery.begin(ticks: withBackend { $0.endsDeliverySoon() } ? 0 : deliverySlice)
    }
}
