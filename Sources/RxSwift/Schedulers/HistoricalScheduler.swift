// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A virtual time scheduler whose clock shows dates.
///
/// Time stands still until the program advances it; see `VirtualTimeScheduler`.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    /// Creates a scheduler whose clock stands still.
    ///
    /// - Parameter initialClock: the time of the clock at first.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}

/// Virtual time in dates and seconds: nothing is converted.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType, Sendable {
    /// A date on the virtual clock, without conversion.
    public typealias VirtualTimeUnit = RxTime

    /// A span of seconds, without conversion.
    public typealias VirtualTimeIntervalUnit = TimeInterval

    /// Returns the date itself, without any conversion.
    public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime { virtualTime }

    /// Returns the date itself, without any conversion.
    public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit { time }

    /// Returns the seconds themselves, without any conversion.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        virtualTimeInterval
    }

    /// Returns the seconds themselves, without any conversion.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit { timeInterval }

    /// Returns the date so many seconds later.
    public func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        time.addingTimeInterval(offset)
    }

    /// Tells which of the dates is earlier.
    public func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
