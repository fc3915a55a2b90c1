// SPDX-License-Identifier: Apache-2.0

/// The policy of a bounded buffer for elements that come while it is full.
public enum BackpressureOverflow: Sendable, Hashable, CaseIterable {
    /// Pauses the source until half of the buffer is empty. Keeps every element: of a source that cannot pause, also beyond the bound.
    case suspend
    /// Drops the oldest element of the buffer.
    case dropOldest
    /// Drops the element that comes.
    case dropNewest
    /// Keeps the newest element alone: the same as `dropOldest` with a buffer of one; the bound is ignored.
    case latest
    /// Ends the sequence with a `BackpressureOverflowError`, after the elements in the buffer.
    case error
}

/// The error of a sequence whose bounded buffer was full, with the policy `BackpressureOverflow.error`.
public struct BackpressureOverflowError: Error, Hashable, CustomStringConvertible {
    /// The operator that has the buffer, as it is declared: `onBackpressure(buffer:overflow:)`.
    public let operatorName: String
    /// The number of elements that the buffer may hold.
    public let bound: Int

    package init(operatorName: StaticString, bound: Int) {
        self.operatorName = "\(operatorName)"
        self.bound = bound
    }

    public var description: String { "\(operatorName): the buffer of \(bound) elements is full" }
}
