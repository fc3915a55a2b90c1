// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The thread that finds loops whose turns take longer than their limits: one per process, while there is a loop with a limit.
///
/// It looks at each such loop every quarter of the smallest limit. A loop that is watched pays nothing for that but a signal when it stalls.
enum StallDetector {
    private static let lock = Mutex()
    // The following are protected by the lock.
    /// The loops with a limit.
    @exclusivity(unchecked) nonisolated(unsafe) private static var watched: [StallWatch] = []
    /// Loops that have ended since the last look, and may have had a stall before.
    @exclusivity(unchecked) nonisolated(unsafe) private static var leaving: [StallWatch] = []
    /// Wakes the detector's thread; nil if there is none.
    @exclusivity(unchecked) nonisolated(unsafe) private static var parker: Parker?

    private static let threadName = "rx.stalls"
    /// The least number of nanoseconds between two looks.
    private static let shortestInterval: UInt64 = 1_000_000

    /// In a forked process there is no thread, and there are no loops.
    ///
    /// The lock is held during the fork: another thread that held it would be missing in the child, and never release it.
    private static let watchesForks: Void = {
        let status = pthread_atfork({ lock.lock() }, { lock.unlock() }) {
            // Not released: the parker may be in the midst of a change.
            if let parker { _ = Unmanaged.passRetained(parker) }
            parker = nil
            watched = []
            leaving = []
            rx_stack_forked()
            lock.unlock()
        }
        if status != 0 { fatalError("swift-rx: no memory to watch for forks (pthread_atfork: \(status))") }
    }()

    static func withLock<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

    /// Watches a loop from now on, and starts the thread if this is the only one. Called by the loop thread.
    static func add(_ watch: StallWatch) {
        watchesForks
        let (running, signal) = lock.withLock { () -> (Parker?, CInt) in
            watched.append(watch)
            if let parker { return (parker, rx_stack_signal()) }
            parker = Parker()
            return (nil, rx_stack_install())
        }
        if signal != 0 { rx_stack_admit(signal) }
        // The limit may be smaller than the others.
        if let running { running.unpark() } else { start() }
    }

    /// Stops watching a loop, whose thread may then end. The loop thread calls this after its last turn.
    static func remove(_ watch: StallWatch) {
        let running = lock.withLock {
            watch.hasLeft = true
            watched.removeAll { $0 === watch }
            if parker != nil { leaving.append(watch) }
            return parker
        }
        running?.unpark()
    }

    private static func start() {
        let status = startThread(run)
        if status == 0 { return }
        lock.withLock {
            parker = nil
            rx_stack_uninstall()
        }
        IOHooks.report("stalls of event loops are not detected: no thread can be started (pthread_create: \(status))")
    }

    private static func run() {
        rx_thread_prepare(threadName)
        while let (watches, interval, parker) = next() {
            for watch in watches { watch.look() }
            parker.park(until: MonotonicClock.deadline(after: Int64(clamping: interval), from: MonotonicClock.now()))
        }
    }

    /// The loops to look at, and the nanoseconds until the next look. Nil if there is no loop: then the thread ends.
    private static func next() -> (watches: [StallWatch], interval: UInt64, parker: Parker)? {
        lock.withLock {
            let watches = watched + leaving
            leaving = []
            guard !watches.isEmpty, let parker else {
                parker = nil
                rx_stack_uninstall()
                return nil
            }
            let limit = watched.map(\.limit).min() ?? 0
            return (watches, max(shortestInterval, limit / 4), parker)
        }
    }
}
