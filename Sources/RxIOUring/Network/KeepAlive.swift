// SPDX-License-Identifier: Apache-2.0

/// The probes that the system sends on a silent TCP connection.
public struct KeepAlive: Sendable, Hashable {
    /// The seconds without a byte after which the first probe is sent (`TCP_KEEPIDLE`).
    public let idle: Int

    /// The seconds between two probes (`TCP_KEEPINTVL`).
    public let interval: Int

    /// The number of probes without an answer after which the connection ends (`TCP_KEEPCNT`).
    public let count: Int

    /// Probes that notice a missing peer after `idle + interval * count` seconds: by default, 90.
    ///
    /// - Parameters:
    ///   - idle: 1...32767 seconds.
    ///   - interval: 1...32767 seconds.
    ///   - count: 1...127.
    public init(idle: Int = 60, interval: Int = 10, count: Int = 3) {
        if !(1...32_767).contains(idle) {
            fatalError("KeepAlive.init: idle must be 1...32767 seconds, not \(idle)")
        }
        if !(1...32_767).contains(interval) {
            fatalError("KeepAlive.init: interval must be 1...32767 seconds, not \(interval)")
        }
        if !(1...127).contains(count) { fatalError("KeepAlive.init: count must be 1...127, not \(count)") }
        (self.idle, self.interval, self.count) = (idle, interval, count)
    }
}
