import CRxIOUring
import Glibc
import RxPrimitives

/// How a child process has ended.
enum Termination {
    case exited(CInt)
    case signalled(CInt)
    /// Somebody else has reaped it.
    case unknown
}

/// A child process, to be signalled and reaped from any thread.
final class ChildHandle: @unchecked Sendable {
    let pid: pid_t
    private let lock = Mutex()
    /// Once it is set, the number may be another process's. Under the lock.
    private var termination: Termination?

    init(_ pid: pid_t) { self.pid = pid }

    /// Harmless if it has ended.
    func send(_ signal: CInt) {
        lock.withLock {
            if termination == nil, rx_is_child(pid) { _ = Glibc.kill(pid, signal) }
        }
    }

    /// How it has ended; nil while it runs.
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

    /// Ends it by a thread of its own, where there is no loop to do that.
    ///
    /// If the system has no thread, the process is ended at once, on the calling one.
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

/// A child process on a loop, which lives until the process was reaped. For the loop's thread.
final class Child: LoopDependent {
    private let handle: ChildHandle
    private let loop: EventLoop
    private let disposal: ChildProcess.Disposal
    /// Readable when the process has ended.
    @exclusivity(unchecked) private var descriptor: Descriptor?
    @exclusivity(unchecked) private var operation: AwaitOperation?
    /// Until it is called, or `abandon`.
    @exclusivity(unchecked) private var receive: ((Termination) -> Void)?
    @exclusivity(unchecked) private var killing: KillTimer?
    /// Where the system had no thread to await the process.
    @exclusivity(unchecked) private var retry: DelayTimer?
    /// In nanoseconds.
    private static let retryInterval: Int64 = 10_000_000
    /// Whether the process was reaped, or a thread of its own sees to that.
    @exclusivity(unchecked) private var isOver = false

    /// - Parameter receive: held until the end or `abandon`.
    init(
        _ pid: pid_t, on loop: EventLoop, disposal: ChildProcess.Disposal, byThread: Bool,
        receive: @escaping (Termination) -> Void
    ) {
        handle = ChildHandle(pid)
        self.loop = loop
        self.disposal = disposal
        self.receive = receive
        // The loop takes dependents: it is running the source that starts this.
        _ = loop.add(self)
        let number = byThread ? -ENOSYS : rx_pidfd_open(pid)
        if number < 0 {
            awaitByThread()
            return
        }
        let descriptor = Descriptor(number, on: loop)
        self.descriptor = descriptor
        // Holds this object until the process has ended, or the loop.
        let operation = AwaitOperation(descriptor, whenFinished: awaited)
        self.operation = operation
        descriptor.submit(operation)
    }

    /// Nothing is received any more, and the process is ended.
    func abandon() {
        receive = nil
        if isOver { return }
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
        if isOver { return }
        endApart()
    }

    private func endApart() {
        isOver = true
        handle.endApart(disposal)
        letGo()
    }

    /// Where the kernel has no descriptors for processes, or we have none left.
    private func awaitByThread() {
        let status = startThread { [self] in
            _ = rx_await_end(handle.pid)
            // Without a loop somebody is ending it apart; whoever comes first reaps it.
            loop.perform(ended, rejected: { _ = self.handle.reap() })
        }
        if status == 0 || isOver { return }
        // The system has no thread now. The loop looks by itself, and tries again.
        retry = DelayTimer(on: loop, after: Child.retryInterval) { [weak self] in
            guard let self else { return }
            retry = nil
            if !isOver { ended() }
        }
    }

    private func awaited(_ result: Int32) {
        if isOver { return }
        if result >= 0 { return ended() }
        // Cancelled only when it is over, so it failed.
        letGo()
        awaitByThread()
    }

    private func ended() {
        if isOver { return }
        guard let termination = handle.reap() else { return awaitByThread() }
        isOver = true
        loop.remove(self)
        letGo()
        let receive = receive
        self.receive = nil
        receive?(termination)
    }

    private func letGo() {
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
            Request(kind: RX_POLL, descriptor: descriptor.number, address: nil, flags: UInt32(bitPattern: POLLIN)))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) { whenFinished(result) }
}

/// Kills a process that was asked to end, and has not.
private final class KillTimer: LoopTimer {
    private let handle: ChildHandle

    init(_ handle: ChildHandle) {
        self.handle = handle
        super.init()
    }

    override func fire() { handle.send(SIGKILL) }

    /// Who ends the process then has a clock of its own.
    override func drop() -> Bool { false }
}
