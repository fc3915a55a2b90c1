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

/// A child process, to be signalled and reaped from any thread.
final class ChildHandle: @unchecked Sendable {
    let pid: pid_t
    private let lock = Mutex()
    /// The end of the process, once it was reaped: from then on the number may be another process's. Under the lock.
    private var termination: Termination?

    init(_ pid: pid_t) { self.pid = pid }

    /// Sends a signal; does nothing if the process has ended.
    func send(_ signal: CInt) {
        lock.withLock {
            if termination == nil, rx_is_child(pid) { _ = Glibc.kill(pid, signal) }
        }
    }

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

    /// Ends the process on a thread of its own, where there is no loop to do that.
    ///
    /// If the system has no thread, the process is ended at once, on the calling thread.
    func endApart(_ disposal: ChildProcess.Disposal) {
        let status = startThread {
            if case .terminate(let grace) = disposal {
                self.send(SIGTERM)
                let end = MonotonicClock.deadline(after: grace.nanosecondsClamped, from: MonotonicClock.now())
                while self.reap() == nil, MonotonicClock.now() < end { usleep(2_000) }
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

/// A child process on a loop, which lives until the process was reaped. Used only on the loop thread.
final class Child: LoopDependent {
    private let handle: ChildHandle
    private let loop: EventLoop
    private let disposal: ChildProcess.Disposal
    /// A descriptor that becomes readable when the process has ended.
    @exclusivity(unchecked) private var descriptor: Descriptor?
    @exclusivity(unchecked) private var operation: AwaitOperation?
    /// The receiver of the end, until it is called, or until `abandon`.
    @exclusivity(unchecked) private var receive: ((Termination) -> Void)?
    @exclusivity(unchecked) private var killing: KillTimer?
    /// The timer for another attempt, if the system had no thread to await the process.
    @exclusivity(unchecked) private var retry: DelayTimer?
    /// The time between two attempts, in nanoseconds.
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

    /// Ends the process, and receives nothing any more.
    func abandon() {
        receive = nil
        if isFinished { return }
        if loop.isClosed { return endApart() }
        switch disposal {
        case .kill: handle.send(SIGKILL)
        case .terminate(let grace):
            handle.send(SIGTERM)
            let now = MonotonicClock.now()
            let timer = KillTimer(handle)
            timer.deadline = MonotonicClock.deadline(after: grace.nanosecondsClamped, from: now)
            killing = timer
            loop.timers.insert(timer, now: now)
        }
    }

    func loopEnded() {
        if isFinished { return }
        endApart()
    }

    private func endApart() {
        isFinished = true
        handle.endApart(disposal)
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
        if let killing { loop.timers.remove(killing) }
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

/// Kills a process that was asked to end and has not ended.
private final class KillTimer: LoopTimer {
    private let handle: ChildHandle

    init(_ handle: ChildHandle) {
        self.handle = handle
        super.init()
    }

    override func fire() { handle.send(SIGKILL) }

    /// Does nothing: the thread that ends the process then has a clock of its own.
    override func drop() -> Bool { false }
}
