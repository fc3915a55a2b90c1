// SPDX-License-Identifier: Apache-2.0

public import NIOCore
public import RxSwift

/// An `EventLoop` of SwiftNIO as the loop of a `HostEventLoopScheduler`.
public struct NIOHost: HostEventLoop {
    private let loop: any EventLoop

    public init(_ loop: any EventLoop) { self.loop = loop }

    /// A loop that was shut down drops the body, as the protocol has it.
    public func enqueue(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    public func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void) {
        loop.scheduleTask(in: .nanoseconds(delay), body)
    }

    public var isCurrent: Bool { loop.inEventLoop }
}
