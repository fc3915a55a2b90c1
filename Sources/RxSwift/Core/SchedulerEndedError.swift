// SPDX-License-Identifier: Apache-2.0

/// The error of a stream whose scheduler has ended, so that elements are missing.
///
/// Hops and operators with a timer fail with it on a `BoundedPoolScheduler` that was shut down, and on a `HostEventLoopScheduler` whose loop has ended;
/// hops also on an `OperationQueueScheduler` whose operations the program has cancelled.
public struct SchedulerEndedError: Error, Hashable, CustomStringConvertible {
    /// The name that was given to the scheduler.
    public let schedulerName: String

    package init(schedulerName: String) { self.schedulerName = schedulerName }

    public var description: String { "the scheduler \(schedulerName) has ended, and elements are missing" }
}
