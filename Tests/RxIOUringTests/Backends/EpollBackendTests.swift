// SPDX-License-Identifier: Apache-2.0

import Glibc
@preconcurrency import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct EpollBackendTests {
    /// A disk that does not answer, or a mount whose server is gone.
    @Test("A file operation that waits for a helper thread is cancelled at once")
    func cancellation() async {
        await leavingNothing(.epoll) { folder, scheduler in
            let isOver = AtomicCounter(0)
            defer { isOver.increment() }
            let entered = AtomicCounter(0)
            for _ in 0..<32 {
                _ = BlockingPool.disk.run {
                    entered.increment()
                    while isOver.value == 0 { usleep(500) }
                }
            }
            #expect(await eventually { entered.value == 32 })
            let before = descriptorCount()
            let written = Received(
                File.write(.just(ByteChunk("hello")), to: folder["a"], synchronize: true, scheduler: scheduler)
                    .asObservable())
            #expect(await eventually { descriptorCount() == before + 1 })
            usleep(20_000)
            #expect(!written.hasEnded)
            written.dispose()
            #expect(await eventually { descriptorCount() == before })
            let other = Received(
                File.write(.just(ByteChunk("hello")), to: folder["b"], synchronize: true, scheduler: scheduler)
                    .asObservable())
            #expect(await eventually { descriptorCount() == before + 1 })
            scheduler.shutdown()
            #expect(other.error?.code == ECANCELED)
        }
    }
}
