import RxPrimitives

/// Runs a closure on a loop after a time, once. For the loop's thread.
final class DelayTimer: LoopTimer {
    /// Nil from when it has run or was cancelled.
    @exclusivity(unchecked) private var body: (() -> Void)?

    /// Arms it. `nanoseconds` may be 0.
    init(on loop: EventLoop, after nanoseconds: Int64, _ body: @escaping () -> Void) {
        self.body = body
        super.init()
        let now = MonotonicClock.now()
        deadline = MonotonicClock.deadline(after: nanoseconds, from: now)
        loop.timers.insert(self, now: now)
    }

    func cancel(on loop: EventLoop) {
        // Released when this returns: its deinit may be a user's.
        let released = take()
        loop.timers.remove(self)
        withExtendedLifetime(released) {}
    }

    override func fire() { take()?() }

    /// Who armed it hears of the loop's end otherwise.
    override func drop() -> Bool {
        _ = take()
        return false
    }

    private func take() -> (() -> Void)? {
        defer { body = nil }
        return body
    }
}
