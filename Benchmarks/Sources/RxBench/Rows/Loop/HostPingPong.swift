// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHost
import RxSwift

extension Row {
    #if os(Linux)
        /// One event goes to and fro between two schedulers of one host's loop, on that loop: each hop is a body of its own.
        static var hostPingPong: Row {
            Row(
                .loop, "observeOn.host.pingpong.inLoop", vs: "NIO execute in loop", mallocLimit: nil, unit: "rally",
                events: 10_000, expected: { $0 },
                ours: { rallies in
                    let done = Completion()
                    let (ping, pong) = (PublishSubject<Int>(), PublishSubject<Int>())
                    let count = Sum()
                    let left = ping.observe(on: HostEventLoopScheduler(NIOHost(Loops.nio)))
                        .subscribe(onNext: { pong.onNext($0 + 1) })
                    let right = pong.observe(on: HostEventLoopScheduler(NIOHost(Loops.nio)))
                        .subscribe(onNext: { value in
                            count.value = value
                            if value < rallies { ping.onNext(value) } else { done.signal() }
                        })
                    ping.onNext(0)
                    done.wait("ping-pong of observe(on: host)")
                    left.dispose()
                    right.dispose()
                    return count.value
                },
                peer: { rallies in
                    let done = Completion()
                    let count = Sum()
                    let loop = Loops.nio
                    @Sendable func ping(_ value: Int) {
                        loop.execute { pong(value + 1) }
                    }
                    @Sendable func pong(_ value: Int) {
                        loop.execute {
                            count.value = value
                            if value < rallies { ping(value) } else { done.signal() }
                        }
                    }
                    ping(0)
                    done.wait("ping-pong of NIO execute")
                    return count.value
                })
        }
    #endif
}
