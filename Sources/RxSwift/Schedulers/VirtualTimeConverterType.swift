// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Translates between a virtual clock's units and real time.
public protocol VirtualTimeConverterType {
    /// A point of the virtual clock.
    associatedtype VirtualTimeUnit

    /// A span between two points of the virtual clock.
    associatedtype VirtualTimeIntervalUnit

    /// The real time that a point of the virtual clock stands for.
    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

    /// The point of the virtual clock that stands for a real time.
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

    /// The seconds that a virtual span stands for.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

    /// The virtual span that stands for so many seconds.
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

    /// The point a span away from another.
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// Tells which of two points is earlier. The order has to be total.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The position of one point of a virtual clock relative to another.
public enum VirtualTimeComparison: Hashable, Sendable {
    /// The first point is the earlier one.
    case lessThan
    /// Both points are at the same time.
    case equal
    /// The first point is the later one.
    case greaterThan
}
