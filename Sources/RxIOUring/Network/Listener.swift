// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
public import RxSwift

/// A socket that accepts connections.
///
/// Listens from its creation until `close`, until its subscription ends, or until it is neither held nor subscribed to.
public final class Listener: @unchecked Sendable, CustomStringConvertible {
    /// The address on which it listens, with the port that the system chose if none was asked for.
    public let address: SocketAddress

    /// The event loop that accepts connections.
    public let scheduler: IOUringScheduler

    let core: ListenerCore
    private let options: ConnectionOptions
    private let connectionSchedulers: IOUringSchedulerGroup?

    let accepted = AcceptedConnections()

    /// Takes over a descriptor that listens.
    init(
        _ fd: CInt, asked: SocketAddress, options: ConnectionOptions,
        connectionSchedulers: IOUringSchedulerGroup?, scheduler: IOUringScheduler, file: SocketFile? = nil
    ) {
        address = Socket.localAddress(fd) ?? asked
        self.scheduler = scheduler
        self.options = options
        self.connectionSchedulers = connectionSchedulers
        core = ListenerCore(fd, file: file)
    }

    /// The text `Listener(...)` with the address.
    public var description: String { "Listener(\(address))" }

    /// The connections, as they are accepted, on the thread of `scheduler`.
    ///
    /// Each connection lives on the loop that `connectionSchedulers` chose, and is closed unless it is held or observed.
    ///
    /// While a stage below pauses the source, such as `merge(maxConcurrent:)`, nothing is accepted: connections wait in the kernel, up to the
    /// listener's `backlog`.
    ///
    /// Takes one subscription in all: after its end, by dispose or error, the listener is closed. When the process has no
    /// descriptor left (`EMFILE`), accepting pauses, and is tried again after 10 milliseconds, then 20, up to 100;
    /// `IOHooks.noticeHandler` is told once for each such shortage.
    /// - Returns: completes when the listener is closed, and its address is free. Fails with an `IOError` (`accept`), `EBUSY` if there is another
    ///   subscription, `EBADF` if the listener was closed before.
    public var connections: Observable<Connection> {
        scheduler.observable { [self] in
            AcceptSource(
                core, accepted, address: address, options: options, scheduler: scheduler, group: connectionSchedulers,
                downstream: $0)
        }
    }

    /// Stops listening; connections stay open. Callable from any thread, any number of times.
    ///
    /// With a subscription, the loop closes the listener soon, and `connections` reports the end.
    public func close() {
        guard core.isAwaited else { return core.close() }
        // Closes after the loop has handled the subscriptions made before.
        scheduler.loop.perform(core.close, rejected: core.close)
    }
}

extension Listener {
    /// Stops listening at each subscription, and waits until the accepted connections are closed.
    ///
    /// Connections go on as before: what serves them closes them, and learns from the completion of `connections` that no more come. Those that
    /// are still open at the limit are cut: bytes that wait to be sent are dropped, and the peer is reset. Disposing of the result ends the
    /// wait; the listener stays closed. A loop that is blocked cuts its connections only when it goes on: the completion waits for that. Emits on the thread of `scheduler`.
    /// - Parameter limit: the time that the connections have; nil for as long as they take.
    /// - Returns: completes when all are closed; fails then with an `IOError` of `ETIMEDOUT` (`quiesce`) if connections were cut during the wait,
    ///   also at the limit of another call. One that begins later tells of its own wait: a `retry` ends. Fails with `ECANCELED` if the loop
    ///   ends first: call `shutdown()` behind the completion.
    public func quiesce(within limit: RxTimeInterval?) -> Completable {
        Completable(raw: scheduler.observable { [self] in QuiesceSource(self, limit, downstream: $0) })
    }
}

/// The descriptor of a listener, closed by the last object that needs it.
final class ListenerCore: @unchecked Sendable {
    let fd: CInt
    private let file: SocketFile?
    private let lock = Mutex()
    /// The state of the descriptor, protected by `lock`.
    @exclusivity(unchecked) private var state = State.free
    /// The source that accepts connections, protected by `lock`.
    @exclusivity(unchecked) private var source: AcceptSource?
    /// The number of sources that were made and have not tried to claim the descriptor yet.
    private let sourcesToCome = AtomicWord(0)

    /// True from when a source has the descriptor until that is closed; used on the loop thread only.
    @exclusivity(unchecked) private var isDescriptorOpen = false
    /// Called once the descriptor of the source is closed; used on the loop thread only.
    @exclusivity(unchecked) private var closeObservers: [() -> Void] = []

    private enum State { case free, accepting, closed }

    init(_ fd: CInt, file: SocketFile?) {
        self.fd = fd
        self.file = file
    }

    deinit { closeIfFree() }

    /// True if a source is about to claim the descriptor. The thread that made the source sees it.
    var isAwaited: Bool { sourcesToCome.loadRelaxed() != 0 }

    /// Counts a source that was made and will claim the descriptor.
    func expectSource() { _ = sourcesToCome.fetchAdd(1) }

    /// Uncounts a source that has claimed the descriptor, or never will.
    func expectNoMore() { _ = sourcesToCome.fetchAdd(0 &- 1) }

    /// Gives the descriptor to a source, which closes it. Returns 0, or an errno if the source cannot have it.
    func claim(_ source: AcceptSource) -> CInt {
        lock.withLock {
            switch state {
            case .accepting: return EBUSY
            case .closed: return EBADF
            case .free:
                state = .accepting
                isDescriptorOpen = true
                self.source = source
                return 0
            }
        }
    }

    /// Closes the listener, or has its source close it, on any thread.
    func close() {
        if let source = lock.withLock({ source }) { return source.closeListener() }
        closeIfFree()
    }

    /// Closes the listener unless a source has it, on any thread.
    func closeIfFree() {
        let isMine = lock.withLock {
            if state != .free { return false }
            state = .closed
            return true
        }
        guard isMine else { return }
        removePath()
        _ = Glibc.close(fd)
    }

    /// Marks the listener as closed: its source has ended, and closes the descriptor.
    func sourceEnded() {
        let released = lock.withLock {
            state = .closed
            let source = source
            self.source = nil
            return source
        }
        removePath()
        withExtendedLifetime(released) {}
    }

    /// Tells that the descriptor of the source is closed; called on the loop thread.
    func descriptorClosed() {
        isDescriptorOpen = false
        let observers = closeObservers
        closeObservers = []
        for observer in observers { observer() }
    }

    /// Calls `body` when the descriptor of a source is closed, or at once if there is none; on the loop thread.
    func whenClosed(_ body: @escaping () -> Void) {
        if isDescriptorOpen { closeObservers.append(body) } else { body() }
    }

    /// Removes the file before the descriptor is closed: as long as the socket holds it, no other file has its number.
    private func removePath() { file?.remove() }
}
