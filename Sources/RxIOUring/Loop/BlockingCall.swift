// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A blocking call on a thread of a pool, whose result comes to a loop.
///
/// Used on the loop thread, except for `run`. If the system has no thread, the call is submitted again, every 10 ms for a second,
/// and then fails.
final class BlockingCall<Value>: BlockingTask, @unchecked Sendable {
    /// The loop, which its own thread keeps alive. A call that is stuck in the kernel must not retain the loop's descriptors.
    private unowned(unsafe) let loop: EventLoop
    private let loopTag: UInt32
    private let pool: BlockingPool
    private let body: () -> Value
    private let release: (Value) -> Void

    /// The receiver of the result, until it is called, or until `cancel`.
    @exclusivity(unchecked) private var whenDone: ((Result<Value, SystemError>) -> Void)?
    /// The timer of the next attempt to get a thread.
    @exclusivity(unchecked) private var retry: DelayTimer?
    @exclusivity(unchecked) private var attempts = 0

    /// Submits a call.
    ///
    /// - Parameters:
    ///   - body: makes the call, on a thread of the pool.
    ///   - release: releases a result that comes after `cancel` or the loop's end. On any thread.
    ///   - whenDone: receives the result on the loop thread, after this initializer has returned. Retained until then, or until `cancel`.
    init(
        on loop: EventLoop, in pool: BlockingPool, _ body: @escaping () -> Value,
        release: @escaping (Value) -> Void = { _ in }, whenDone: @escaping (Result<Value, SystemError>) -> Void
    ) {
        self.loop = loop
        loopTag = loop.tag
        self.pool = pool
        self.body = body
        self.release = release
        self.whenDone = whenDone
        super.init()
        follow(pool.submit(self))
    }

    /// Cancels the call, which does not begin if it has not begun yet. Otherwise its thread ends it alone.
    func cancel() {
        retry?.cancel(on: loop)
        retry = nil
        // Released when this returns, as its deinit may be user code.
        let released = whenDone
        whenDone = nil
        pool.cancel(self)
        withExtendedLifetime(released) {}
    }

    package override func run() {
        let value = body()
        guard let loop = LoopRegistry.loop(loopTag) else { return release(value) }
        loop.queue.submitExpress {
            self.finish(.success(value))
        } rejected: {
            self.release(value)
            return false
        }
    }

    /// The number of attempts to get a thread, and the nanoseconds between two of them.
    private static var attemptLimit: Int { 100 }
    private static var retryInterval: Int64 { 10_000_000 }

    private func follow(_ submission: BlockingPool.Submission) {
        switch submission {
        case .accepted: break
        case .waiting: tryAgainLater { self.pool.retry(self) }
        case .rejected(let error):
            attempts += 1
            if attempts > BlockingCall.attemptLimit {
                return finish(.failure(SystemError(code: error, operation: "pthread_create")))
            }
            tryAgainLater { self.pool.submit(self) }
        }
    }

    private func tryAgainLater(_ submit: @escaping () -> BlockingPool.Submission) {
        retry = DelayTimer(on: loop, after: BlockingCall.retryInterval) {
            self.retry = nil
            self.follow(submit())
        }
    }

    private func finish(_ result: Result<Value, SystemError>) {
        retry?.cancel(on: loop)
        retry = nil
        guard let whenDone else {
            if case .success(let value) = result { release(value) }
            return
        }
        self.whenDone = nil
        whenDone(result)
    }
}
