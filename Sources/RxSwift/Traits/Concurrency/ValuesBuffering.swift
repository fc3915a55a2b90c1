// SPDX-License-Identifier: Apache-2.0

/// The policy for elements that come faster than a task takes them from `values(buffering:)`.
public enum ValuesBuffering: Sendable, Hashable {
    /// Pauses the source while 8,192 elements wait, or 1 MiB of `Weighted` ones, until half of that is left.
    ///
    /// Keeps every element: of a source that cannot pause, also beyond the bound; then `Hooks.backlogHandler` is called.
    case suspend
    /// Keeps the newest element alone.
    case latest
    /// Keeps that many elements, and drops the oldest one for each that comes while so many wait. A number below 1 counts as 1.
    case dropOldest(Int)
    /// Keeps every element, and never pauses the source: memory grows for as long as the task is slower.
    case unbounded

    var policy: OverflowPolicy {
        switch self {
        case .suspend: .suspendedValues
        case .latest: OverflowPolicy(.latest, buffer: 1, operatorName: "values(buffering:)")
        case .dropOldest(let count):
            OverflowPolicy(.dropOldest, buffer: max(1, count), operatorName: "values(buffering:)")
        case .unbounded: OverflowPolicy(.suspend, buffer: .max, operatorName: "values(buffering:)")
        }
    }
}

extension OverflowPolicy {
    /// The policy of `values`.
    static var suspendedValues: OverflowPolicy { OverflowPolicy(.suspend, buffer: 8_192, operatorName: "values") }
}
