// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// How far beyond its limit an output accepts what comes.
enum OutputTolerance {
    /// Not at all: the source cannot pause.
    case none
    /// As much again, and at least a megabyte: the source may be one that pauses, and has not asked yet.
    case limited
    /// Any amount: the source pauses.
    case unlimited

    /// The greatest amount of a queue in bytes, of which `limit` is the limit, that takes more.
    func most(_ limit: Int) -> Int {
        switch self {
        case .none: return limit
        case .limited:
            let (double, overflows) = limit.addingReportingOverflow(limit)
            return overflows ? .max : max(double, 1 << 20)
        case .unlimited: return .max
        }
    }
}

/// Tells an output how far beyond its limit it accepts input, by the questions that the sources have asked. Used in the context of the input.
struct InputRecord {
    private var hasAsked = false
    /// The chunks that have come.
    private var chunks = 0
    /// Those that have come since a source asked that had not been told to pause.
    private var unasked = (chunks: 0, bytes: 0)
    /// The addresses of the sources that were told to pause and not resumed. One that asks again was kept going by others: see `SubjectListCore.pauses`.
    private var paused: Set<ObjectIdentifier> = []
    private var resumeCount: UInt = 0

    /// The memory of what a hop may emit before it asks: 512 small elements, or 64 KiB and a large one.
    private static let mostBeforeQuestion = 192 << 10
    /// Some sources ask after 16 elements, of any size.
    private static let mostUnasked = 32
    /// Sources may come and go for as long as the output is full.
    private static let mostPaused = 4_096

    /// Notes a chunk, or the end of the input, that comes to an output with a limit.
    ///
    /// - Parameter chunk: empty for the end, which is accepted with the chunks before it.
    mutating func note(_ chunk: ByteChunk, limit: Int) -> OutputTolerance {
        if chunk.isEmpty { return chunks > 0 ? .unlimited : .limited }
        defer {
            chunks += 1
            unasked.chunks += 1
            unasked.bytes += chunk.count + OutputWatermarks.itemOverhead
        }
        if !hasAsked {
            // A source may ask behind its second element.
            if chunks == 1 { return .unlimited }
            return unasked.bytes <= InputRecord.mostBeforeQuestion ? .limited : .none
        }
        // More than sources emit that pause comes from a part of the input that cannot pause, or that others keep going.
        let asksTooLittle = unasked.bytes > max(limit, 1 << 20) && unasked.chunks > InputRecord.mostUnasked
        return asksTooLittle ? .none : .unlimited
    }

    /// Notes that a source has asked, and may go on.
    mutating func sourceGoesOn() {
        hasAsked = true
        unasked = (0, 0)
        forgetPaused()
    }

    /// Notes that a source has asked, and has to pause.
    ///
    /// - Parameter resumeCount: the number of times at which all sources were resumed.
    mutating func sourcePauses(_ source: any PausableSource, _ resumeCount: UInt) {
        hasAsked = true
        if self.resumeCount != resumeCount || paused.count == InputRecord.mostPaused { forgetPaused() }
        self.resumeCount = resumeCount
        if paused.insert(ObjectIdentifier(source)).inserted { unasked = (0, 0) }
    }

    private mutating func forgetPaused() {
        if !paused.isEmpty { paused.removeAll(keepingCapacity: paused.count <= 64) }
    }
}
