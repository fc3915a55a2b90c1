// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOHost
import NIOPosix
import RxSwift
import RxTest

// Runs the conformance checks of `RxTest` on an `EventLoop` of SwiftNIO. Ends with 1 if it breaks a promise.

/// A loop with a group of its own, which can be shut down.
struct OwnLoop: HostEventLoop {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let host: NIOHost

    init() { host = NIOHost(group.next()) }

    func enqueue(_ body: @escaping @Sendable () -> Void) { host.enqueue(body) }

    func enqueue(afterNanoseconds delay: Int64, _ body: @escaping @Sendable () -> Void) {
        host.enqueue(afterNanoseconds: delay, body)
    }

    var isCurrent: Bool { host.isCurrent }

    func end() { try? group.syncShutdownGracefully() }
}

let violations = HostEventLoopConformance.violations(of: { OwnLoop() }, end: { $0.end() })
for violation in violations { print(violation) }
print(violations.isEmpty ? "NIO's EventLoop conforms to HostEventLoop" : "\(violations.count) violations")
exit(violations.isEmpty ? 0 : 1)
