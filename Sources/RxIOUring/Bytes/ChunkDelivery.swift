// SPDX-License-Identifier: Apache-2.0

/// The chunk that a connection of a loop is emitting, and the rest of it that a stage below did not use. Used on the loop thread only.
///
/// A stage that cuts chunks into pieces, such as `lines`, has bytes left when its subscriber leaves behind a piece. They belong to the next
/// subscriber of the connection: a header may be followed by a body of another form.
struct ChunkDelivery {
    /// The memory of the chunk; nil if none is being emitted.
    private var storage: ObjectIdentifier?
    private var rest: ByteChunk?

    /// Begins to emit a chunk. Returns the delivery around it, if there is one, to be passed to `end`.
    mutating func begin(_ chunk: ByteChunk) -> ChunkDelivery {
        let outer = self
        self = ChunkDelivery(storage: ObjectIdentifier(chunk.storage))
        return outer
    }

    /// Ends it, and returns the rest.
    mutating func end(_ outer: ChunkDelivery) -> ByteChunk? {
        let left = rest
        self = outer
        return left
    }

    /// Returns bytes that a stage below did not use. On any thread; they count only if the loop of the calling thread is emitting the chunk that
    /// they are from.
    static func putBack(_ rest: ByteChunk) {
        if rest.isEmpty { return }
        LoopRegistry.current?._withUnsafeGuaranteedRef { loop in
            if loop.delivery.storage == ObjectIdentifier(rest.storage) { loop.delivery.rest = rest }
        }
    }
}
