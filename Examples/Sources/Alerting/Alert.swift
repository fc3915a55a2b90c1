// SPDX-License-Identifier: Apache-2.0

/// A metric has exceeded its limit, or does no longer.
public struct Alert: Equatable, Sendable {
    public let name: String
    public let isHigh: Bool
    /// The mean of the window that caused the alert; nil if the metric has fallen silent.
    public let mean: Double?

    public init(name: String, isHigh: Bool, mean: Double?) {
        self.name = name
        self.isHigh = isHigh
        self.mean = mean
    }

    /// The line, with its line feed: `HIGH cpu 97.5`, `OK cpu 12.0` or `OK cpu silent`.
    public var line: String { "\(isHigh ? "HIGH" : "OK") \(name) \(mean.map { "\($0)" } ?? "silent")\n" }
}
