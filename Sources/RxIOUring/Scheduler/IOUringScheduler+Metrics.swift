// SPDX-License-Identifier: Apache-2.0

extension IOUringScheduler {
    /// A snapshot of the loop's figures: the work done, and the resources in use.
    ///
    /// From any thread, at any time, also when the loop is blocked or has ended. The loop does not stop for it: a snapshot is a dozen loads.
    public var metrics: LoopMetrics { loop.activity.metrics }

    /// Makes `longestTurn` and `greatestTimerLateness` begin at 0 again.
    ///
    /// From any thread. A turn that is ending at this moment may still count.
    public func resetMaxima() { loop.activity.resetMaxima() }
}
