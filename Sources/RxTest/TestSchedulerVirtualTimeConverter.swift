// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import RxSwift

/// Virtual time in ticks, each of which stands for a fixed span of real time.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
    /// The unit of a virtual time: ticks.
    public typealias VirtualTimeUnit = Int

    /// The unit of a span of virtual time: ticks.
    public typealias VirtualTimeIntervalUnit = Int

    /// The number of seconds per tick.
    private let resolution: Double

    init(resolution: Double) {
        self.resolution = resolution
    }

    /// The date so many ticks after the beginning of 1970.
    public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    /// The tick nearest to a date.
    public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }

    /// The seconds that so many ticks take.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        TimeInterval(virtualTimeInterval) * resolution
    }

    /// The number of ticks nearest to so many seconds.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
        let ticks = timeInterval / resolution + 0.5
        // A fine resolution puts the distant future beyond the range of ticks.
        return VirtualTimeIntervalUnit(exactly: ticks.rounded(.towardZero)) ?? (ticks < 0 ? .min : .max)
    }

    /// Returns the sum of a time and an offset.
    public func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        time + offset
    }

    /// Compares two ticks: returns which one is earlier.
    public func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
