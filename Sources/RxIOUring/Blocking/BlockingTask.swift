// SPDX-License-Identifier: Apache-2.0

/// Work that may block its thread, for a `BlockingPool`.
///
/// One object is submitted once. The pool retains it until it has run or was cancelled.
package class BlockingTask: @unchecked Sendable {
    /// The next task in the queue of its pool (under the pool's lock).
    @exclusivity(unchecked) final var next: BlockingTask?
    /// The task before this one (under the pool's lock).
    @exclusivity(unchecked) final unowned(unsafe) var previous: BlockingTask?
    /// True while the task waits in the queue (under the pool's lock).
    @exclusivity(unchecked) final var isWaiting = false

    /// Does the work. Called once, on a thread of the pool.
    package func run() { fatalError("swift-rx: a subclass has to implement this method") }
}
