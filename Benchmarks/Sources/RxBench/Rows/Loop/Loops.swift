// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import NIOCore
    import NIOHost
    import NIOPosix
    import RxIOUring
    import RxSwift

    /// The event loops of all rows, made at their first use. They sleep while no row uses them.
    enum Loops {
        static let ours = IOUringScheduler(name: "bench.ours")

        private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

        static let nio: any EventLoop = group.next()

        /// This library's scheduler on NIO's loop.
        static let host = HostEventLoopScheduler(NIOHost(nio))

        /// Runs `body` on this library's loop, and waits for it.
        static func onOurs(
            _ what: StaticString, _ loop: IOUringScheduler = ours, _ body: @escaping (IOUringScheduler) -> Void
        ) {
            let done = Completion()
            _ = loop.schedule(loop) { scheduler in
                body(scheduler)
                done.signal()
                return Disposables.create()
            }
            done.wait(what)
        }

        /// Runs `body` on NIO's loop, and waits for it.
        static func onNIO(_ what: StaticString, _ body: @escaping (any EventLoop) -> Void) {
            let done = Completion()
            let loop = nio
            loop.execute {
                body(loop)
                done.signal()
            }
            done.wait(what)
        }
    }
#endif
