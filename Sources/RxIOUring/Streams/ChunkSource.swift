// SPDX-License-Identifier: Apache-2.0

/// A source of bytes whose subscriber may cut each chunk into pieces, as `lines` does.
///
/// Such a subscriber has a turn of the loop for them. The rest of the chunk waits here, and then nothing is read: other work of the loop comes first, and
/// the stages below are asked whether to pause. A subclass asks `mayRead` before it reads, and passes chunks to `deliver`.
class ChunkSource: LoopSource<ByteChunk>, PiecewiseDelivery {
    /// The bytes that the subscriber has not used in its time.
    @exclusivity(unchecked) private final var rest: ByteChunk?
    /// True while the loop is to call `continueDelivery`.
    @exclusivity(unchecked) private final var isDeliveryQueued = false

    /// Submits the next read, if `mayRead` allows it, unless one is in flight. Called on the loop thread, not from inside an event.
    func read() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Emits a chunk, or the pieces of it for which there is time. Only while nothing of the last chunk is left; `read` has to follow.
    final func deliver(_ chunk: ByteChunk) {
        let outer = loop.beginDelivery()
        emit(chunk)
        let unused = loop.delivery.end(outer)
        if isRunning { rest = unused }
    }

    /// Tells whether the subscriber wants more bytes than it has got. If not, `read` is called later, unless the source has ended.
    final func mayRead() -> Bool {
        if rest == nil { return !mustPause() }
        if !isDeliveryQueued {
            isDeliveryQueued = true
            loop.deliveries.add(self)
        }
        return false
    }

    final override func continueReading() { read() }

    final func continueDelivery() {
        isDeliveryQueued = false
        guard isRunning, isWanted, !mustPause(), let chunk = rest.take() else { return }
        deliver(chunk)
        if isRunning { read() }
    }
}
