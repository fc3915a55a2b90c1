// SPDX-License-Identifier: Apache-2.0

/// A loop of the program that embeds this library: SwiftNIO's, libuv's, the frames of a game, an executor.
///
/// A `HostEventLoopScheduler` makes a scheduler of it. The loop runs *bodies*, closures that the scheduler enqueues, and promises:
///
/// - **Once.** Each body runs once, or is released without having run, if the loop has ended or ends before the body's turn. So a loop that
///   cannot take a body just drops it: the scheduler notices the release, and rejects the work that waits. It takes the release of a
///   body that did not run for the loop's end: threads that learn of it enqueue nothing more.
/// - **One at a time.** No body begins before the one before it has returned, and each sees what the one before did. So no body runs inside of
///   `enqueue`, also when a body calls it. The bodies need not run on one thread, where no user of the scheduler relies on that.
/// - **In order.** Bodies without a delay run in the order in which `enqueue` was called, as far as these calls were ordered: on one
///   thread, or on several that waited for each other.
/// - **Released.** The loop releases a body soon after it has run, and those that have not run at its end: outside of locks that
///   `enqueue` takes, since a release may run the program's own code, which may call `enqueue`.
///
/// The scheduler enqueues one body per batch of work, not one per element, and at most one more when a timer becomes due. A body returns after 512 steps,
/// or after 200 microseconds and the callback that is running then; the rest of the work is in another body, after what the loop enqueued meanwhile. The scheduler holds
/// the loop as long as it exists, or work waits in it. A loop that holds its bodies therefore ends by a call, not by its release.
///
/// `HostEventLoopConformance`, in the module `RxTest`, checks these promises in a program's own tests.
public protocol HostEventLoop: Sendable {
    /// Runs a body soon, after those enqueued before. From any thread; neither runs the body nor waits for the loop.
    ///
    /// - Parameter body: the work, to be run once.
    func enqueue(_ body: @escaping @Sendable () -> Void)

    /// Runs a body when a delay has passed. The scheduler calls this only in its bodies, and where `isCurrent` is true.
    ///
    /// The body should not run early, and may run late: the scheduler looks at its own monotonic clock, so that no action of a user comes early, and
    /// all timers of a scheduler share few such bodies. There is no way to cancel one; one that is of no use any more does nothing.
    ///
    /// - Parameters:
    ///   - delay: nanoseconds, from 0 to those of a day.
    ///   - body: the work, to be run once.
    func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void)

    /// True if the caller runs on the loop: in a body, or in other work of the loop that runs at no time when a body does. From any thread.
    var isCurrent: Bool { get }
}
