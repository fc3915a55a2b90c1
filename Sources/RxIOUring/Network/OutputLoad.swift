// SPDX-License-Identifier: Apache-2.0

/// The word that tells how much is queued on a connection or a socket for datagrams, and whether a source waits until that is sent.
///
/// The wait is a bit of the same word. So the thread that comes down to the low watermark sees the bit, or the source sees that there is no
/// need to wait.
struct OutputLoad {
    let word: UInt

    private static let awaitedBit: UInt = 1
    private static let oneByte: UInt = 2
    /// There is room for half a tebibyte, in less than 2^24 items.
    private static let oneItem: UInt = 1 << 40

    /// The most bytes that a limit may allow: more items than half of those for which there is room do not fit into that.
    static let mostLimit = 1 << 30

    /// The addend of queued items.
    static func addend(bytes: Int, items: Int) -> UInt { UInt(bytes) &* oneByte &+ UInt(items) &* oneItem }

    var bytes: Int { Int((word % OutputLoad.oneItem) / OutputLoad.oneByte) }

    var isEmpty: Bool { word <= OutputLoad.awaitedBit }

    /// True if a source waits.
    var isAwaited: Bool { word & OutputLoad.awaitedBit != 0 }

    /// The memory that is queued, in bytes.
    var weight: Int { bytes + Int(word / OutputLoad.oneItem) * OutputWatermarks.itemOverhead }

    /// True if the source has to pause: from the high watermark on, and then down to the low one.
    func mustPause(_ watermarks: OutputWatermarks) -> Bool {
        watermarks.mustPause(weight, isAwaited: isAwaited)
    }

    /// True if what is added to this load makes sources pause.
    func isFilled(by added: UInt, _ watermarks: OutputWatermarks) -> Bool {
        let after = OutputLoad(word: word &+ added)
        return weight < watermarks.high && after.weight >= watermarks.high
    }

    /// True if a source waits that can be resumed.
    func canResume(_ watermarks: OutputWatermarks) -> Bool { isAwaited && weight <= watermarks.low }

    /// The load once a source waits.
    var awaited: OutputLoad { OutputLoad(word: word | OutputLoad.awaitedBit) }

    /// The load once the waiting sources were taken.
    var notAwaited: OutputLoad { OutputLoad(word: word & ~OutputLoad.awaitedBit) }
}
