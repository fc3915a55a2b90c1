// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The way a child process has ended.
enum Termination {
    case exited(CInt)
    case signalled(CInt)
    /// Other code has reaped the process.
    case unknown
}

/// A child process and its process group, to be signalled and reaped from any thread.
final class ChildHandle: @unchecked Sendable {
    let pid: pid_t
    private let lock = Mutex()
    /// The end of the process, once it was reaped: from then on the number may be another process's. Under the lock.
    private var termination: Termination?

    init(_ pid: pid_t) { self.pid = pid }

    /// Sends a signal to the process and to the processes of its group; also when the process has ended before them.
    func send(_ signal: CInt) {
        lock.withLock {
            if termination == nil ? rx_is_child(pid) : isGroupLeft { _ = Glibc.kill(-pid, signal) }
        }
    }

    /// Asks the process and its group to end. Those that are stopped go on: otherwise they would take no notice.
    func terminate() {
        send(SIGTERM)
        send(SIGCONT)
    }

    /// True while the process, or a process of its group, runs.
    var isRunning: Bool { lock.withLock { termination == nil || isGroupLeft } }

    /// True if processes are left in the group of a process that was reaped (under the lock).
    ///
    /// As long as there are any, the system gives their group's number to no other process. If there is a process of that number, the group
    /// that existed is gone.
    private var isGroupLeft: Bool { Glibc.kill(pid, 0) != 0 && errno == ESRCH && Glibc.kill(-pid, 0) == 0 }

    /// Reaps the process if it has ended. Returns the way it has ended; nil while it runs.
    func reap() -> Termination? {
        lock.withLock {
            if let termination { return termination }
            var status: CInt = 0
            var signal: CInt = 0
            switch rx_reap(pid, &status, &signal) {
            case 0: return nil
            case 1: termination = status >= 0 ? .exited(status) : .signalled(signal)
            default: termination = .unknown
            }
            return termination
        }
    }

    /// Signals the process and its group, and awaits their end on a thread of their own, where there is no loop to do that.
    ///
    /// If the system has no thread, they are killed at once, on the calling thread.
    func endOffLoop(_ disposal: ChildProcess.Disposal) {
        if disposal == .kill { send(SIGKILL) } else { terminate() }
        let status = startThread {
            if case .terminate(let grace) = disposal {
                let end = MonotonicClock.deadline(after: grace.nanosecondsClamped, from: MonotonicClock.now())
                while self.reap() == nil || self.isRunning, MonotonicClock.now() < end { usleep(2_000) }
            }
            self.kill()
        }
        if status != 0 { kill() }
    }

    private func kill() {
        send(SIGKILL)
        if reap() == nil {
            _ = rx_await_end(pid)
            _ = reap()
        }
    }
}
