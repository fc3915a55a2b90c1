// SPDX-License-Identifier: Apache-2.0

/// The amounts of queued output at which more is rejected, and the sources of the input are paused, and resumed.
struct OutputWatermarks {
    let limit: Int
    let high: Int
    let low: Int

    /// - Parameters:
    ///   - limit: the number of bytes at which the output rejects or reports what comes.
    ///   - most: the greatest amount at which sources pause.
    init(limit: Int, most: Int = 1 << 20) {
        self.limit = limit
        high = max(1, min(most, limit / 2))
        low = high / 2
    }

    /// True if a source has to pause: from the high watermark on, and then down to the low one.
    func mustPause(_ weight: Int, isAwaited: Bool) -> Bool { isAwaited ? weight > low : weight >= high }

    /// The memory that an item takes besides its bytes, so that many small items are bounded, too.
    static let itemOverhead = 128

    /// The items as which one counts whose subscriber waits for the outcome: it takes that much more memory.
    static let itemsWithWaiter = 4
}
