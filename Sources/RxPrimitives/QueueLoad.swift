// SPDX-License-Identifier: Apache-2.0

/// The word that tells how full a queue is, and whether a source waits until the queue has emptied.
///
/// A unit is a chunk of the queue, or the weight of one. Producer and consumer each change the word once per chunk.
/// The wait of a source is a bit of the same word. So the consumer that comes down to the low watermark sees the bit, or the source
/// sees that there is no need to wait.
@frozen
@usableFromInline
package struct QueueLoad: Equatable {
    @usableFromInline package let word: UInt

    @inlinable
    package init(word: UInt) { self.word = word }

    /// One unit, as an addend of the word.
    @usableFromInline static let oneUnit: UInt = 2

    private static let awaitedBit: UInt = 1

    #if RX_MODEL_CHECK
        // Small, so that a few elements run through every path.
        static var lowWatermark: UInt { 2 }
        private static var highWatermark: UInt { 3 }
    #else
        static var lowWatermark: UInt { 8 }
        private static var highWatermark: UInt { 16 }
    #endif

    /// The number of units in the queue.
    package var units: UInt { word / QueueLoad.oneUnit }

    /// True if a source waits.
    package var isAwaited: Bool { word & QueueLoad.awaitedBit != 0 }

    /// True if the source has to pause: at the high watermark, and from then on down to the low one.
    package var mustPause: Bool {
        units >= QueueLoad.highWatermark || isAwaited && units > QueueLoad.lowWatermark
    }

    /// True if a source waits that can be resumed.
    package var canResume: Bool { isAwaited && units <= QueueLoad.lowWatermark }

    /// The load once a source waits.
    package var awaited: QueueLoad { QueueLoad(word: word | QueueLoad.awaitedBit) }

    /// The load once the waiting sources were taken.
    package var notAwaited: QueueLoad { QueueLoad(word: word & ~QueueLoad.awaitedBit) }
}
