// SPDX-License-Identifier: Apache-2.0

// The public names of this module where there is no io_uring and no epoll. Package.swift compiles this folder there, and only
// there.

/// Event loops need Linux, so this is unavailable.
@available(*, unavailable, message: "event loops need Linux; elsewhere use SerialDispatchQueueScheduler")
public final class IOUringScheduler: Sendable {}

/// Event loops need Linux, so this is unavailable.
@available(*, unavailable, message: "event loops need Linux; elsewhere use ConcurrentDispatchQueueScheduler")
public final class IOUringSchedulerGroup: Sendable {}

/// Files as observables need an event loop, and so Linux.
@available(*, unavailable, message: "files as observables need an event loop, and so Linux")
public enum File {}

/// Sockets as observables need an event loop, and so Linux.
@available(*, unavailable, message: "sockets as observables need an event loop, and so Linux")
public enum TCP {}
