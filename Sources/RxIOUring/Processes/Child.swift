// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// A child process on a loop, which lives until the process was reaped, and, if it is to be ended, until its group is gone. Used only on the
/// loop thread.
final class Child: LoopDependent {
    private let handle: ChildHandle
    private let loop: EventLoop
    private let disposal: ChildProcess.Disposal
    /// A descriptor that becomes readable when the process has ended.
    @exclusivity(unchecked) private var descriptor: Descriptor?
    @exclusivity(unchecked) private var operation: ReadinessOperation?
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
        let operation = ReadinessOperation(descriptor, whenFinished: awaited)
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
