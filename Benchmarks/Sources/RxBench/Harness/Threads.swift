// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Dispatch
import Foundation
import Synchronization

/// The number of calls of a new thread that do not count: during the first ones the system gives the thread memory.
let warmUpCalls = 1_000

/// Runs `body` on a thread of its own, waits for it, and returns its result.
func onThread<Value>(_ body: @escaping () -> Value) -> Value {
    let done = Completion()
    nonisolated(unsafe) var value: Value?
    nonisolated(unsafe) let body = body
    Thread.detachNewThread {
        value = body()
        done.signal()
    }
    done.wait("a thread")
    return value!
}

/// Threads that repeat the same call until they are stopped, and record the costs of the calls.
final class Callers: @unchecked Sendable {
    /// The record of one thread.
    struct Account {
        var calls = 0
        /// The processor time of the call that took most, in nanoseconds.
        var worstCPU: UInt64 = 0
    }

    private let isStopped = Atomic<Bool>(false)
    private let ended = Completion()
    private let lock = NSLock()
    private var accounts: [Account] = []
    private let threads: Int

    /// - Parameter call: takes the thread's number, and the number of calls that the thread made before.
    init(_ threads: Int, _ call: @escaping (_ thread: Int, _ number: Int) -> Void) {
        self.threads = threads
        nonisolated(unsafe) let call = call
        for thread in 0..<threads {
            Thread.detachNewThread { [self] in
                var account = Account()
                while !isStopped.load(ordering: .relaxed) {
                    let start = plain_thread_time()
                    call(thread, account.calls)
                    account.worstCPU = max(account.worstCPU, plain_thread_time() - start)
                    account.calls += 1
                }
                lock.withLock { accounts.append(account) }
                ended.signal()
            }
        }
    }

    /// Stops the threads and waits for them.
    func stop() -> [Account] {
        isStopped.store(true, ordering: .relaxed)
        for _ in 0..<threads { ended.wait("threads that call") }
        return lock.withLock { accounts }
    }
}
