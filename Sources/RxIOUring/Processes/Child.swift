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

/// A child process on a loop, which lives until the process was reaped, and, if it is to be ended, until its group is gone. Used only on the
/// loop thread.
final class Child: LoopDependent {
    private let handle: ChildHandle
    private let loop: EventLoop
    private let disposal: ChildProcess.Disposal
    /// A descriptor that becomes readable when the process has ended.
    @exclusivity(unchecked) private var descriptor: Descriptor?
    @exclusivity(unchecked) private var operation: AwaitOperation?
    /// The receiver of the end, until it is called, or until `abandon`.
    @exclusivity(unchecked) private var receive: ((Termination) -> Void)?
    @exclusivity(unchecked) private var killing: DelayTimer?
    /// True if the process and its group are to be ended.
    @exclusivity(unchecked) private var isAbandoned = false
    /// True once they were sent `SIGKILL`.
    @exclusivity(unchecked) private var isKilled = false
    /// The timer for another look at the process or its group.
    @exclusivity(unchecked) private var retry: DelayTimer?
    /// The time between two looks, in nanoseconds: at a process that the system has no thread to await, and at a group.
    private static let retryInterval: Int64 = 10_000_000
    /// True if the process was reaped, or a thread of its own does that.
    @exclusivity(unchecked) private var isFinished = false

    /// - Parameter receive: retained until the end or `abandon`.
    init(
        _ pid: pid_t, on loop: EventLoop, disposal: ChildProcess.Disposal, byThread: Bool,
        receive: @escaping (Termination) -> Void
    ) {
        handle = ChildHandle(pid)
        self.loop = loop
        self.disposal = disposal
        self.receive = receive
        // Succeeds: the loop accepts dependents, as it is running the source that starts this.
        _ = loop.add(self)
        let fd = byThread ? -ENOSYS : rx_pidfd_open(pid)
        if fd < 0 {
            awaitByThread()
            return
        }
        let descriptor = Descriptor(fd, on: loop)
        self.descriptor = descriptor
        // Retains this object until the process or the loop has ended.
        let operation = AwaitOperation(descriptor, whenFinished: awaited)
        self.operation = operation
        descriptor.submit(operation)
    }

    /// Ends the process and its group, unless the process has ended by itself, and receives nothing any more.
    func abandon() {
        receive = nil
        if isFinished { return }
        isAbandoned = true
        if loop.isClosed { return endOffLoop() }
        switch disposal {
        case .kill: kill()
        case .terminate(let grace):
            handle.terminate()
            // Weak: the loop holds this object as a dependent.
            killing = DelayTimer(on: loop, after: Int64(clamping: grace.nanosecondsClamped)) { [weak self] in
                self?.kill()
            }
        }
    }

    private func kill() {
        isKilled = true
        handle.send(SIGKILL)
    }

    func loopEnded() {
        if isFinished { return }
        endOffLoop()
    }

    private func endOffLoop() {
        isFinished = true
        handle.endOffLoop(disposal)
        releaseHandle()
    }

    /// Awaits the process on a thread, for a kernel without descriptors for processes, or a process without free descriptors.
    private func awaitByThread() {
        let status = startThread { [self] in
            _ = rx_await_end(handle.pid)
            // If the loop has ended, another thread ends the process; the first of the two threads reaps it.
            loop.perform(ended, rejected: { _ = self.handle.reap() })
        }
        if status == 0 || isFinished { return }
        // The system has no thread now. The loop looks by itself, and tries again.
        lookAgain()
    }

    private func lookAgain() {
        retry = DelayTimer(on: loop, after: Child.retryInterval) { [weak self] in
            guard let self else { return }
            retry = nil
            if !isFinished { ended() }
        }
    }

    private func awaited(_ result: Int32) {
        if isFinished { return }
        if result >= 0 { return ended() }
        // A cancelled operation finds `isFinished` set, so this one failed.
        releaseHandle()
        awaitByThread()
    }

    private func ended() {
        if isFinished { return }
        guard let termination = handle.reap() else { return awaitByThread() }
        // The group has until the end of the grace period. Looked at often: its number may be another group's once it is gone.
        if isAbandoned, !isKilled, handle.isRunning { return lookAgain() }
        isFinished = true
        loop.remove(self)
        releaseHandle()
        let receive = receive
        self.receive = nil
        receive?(termination)
    }

    private func releaseHandle() {
        retry?.cancel(on: loop)
        retry = nil
        killing?.cancel(on: loop)
        killing = nil
        if let operation { loop.cancel(operation) }
        operation = nil
        descriptor?.close()
        descriptor = nil
    }
}

/// Waits until a descriptor is readable.
private final class AwaitOperation: DescriptorOperation {
    private let whenFinished: (Int32) -> Void

    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.whenFinished = whenFinished
        super.init(
            Request(kind: RX_POLL, descriptor: descriptor.fd, address: nil, flags: UInt32(bitPattern: POLLIN)))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) { whenFinished(result) }
}
