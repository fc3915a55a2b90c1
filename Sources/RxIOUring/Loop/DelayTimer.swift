// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Runs a closure once on a loop after a delay. Used only on the loop thread.
final class DelayTimer: LoopTimer {
    /// Nil once it has run or was cancelled.
    @exclusivity(unchecked) private var body: (() -> Void)?

    /// Arms the timer. `nanoseconds` may be 0.
    init(on loop: EventLoop, after nanoseconds: Int64, _ body: @escaping () -> Void) {
        self.body = body
        super.init()
        let now = MonotonicClock.now()
        deadline = MonotonicClock.deadline(after: nanoseconds, from: now)
        loop.timers.insert(self, now: now)
    }

    func cancel(on loop: EventLoop) {
        // Released when this returns, as its deinit may be user code.
        let released = take()
        loop.timers.remove(self)
        withExtendedLifetime(released) {}
    }

    override func fire() { take()?() }

    /// Drops the closure: its owner learns of the loop's end by other means.
    override func drop() -> Bool {
        _ = take()
        return false
    }

    private func take() -> (() -> Void)? {
        defer { body = nil }
        return body
    }
}
