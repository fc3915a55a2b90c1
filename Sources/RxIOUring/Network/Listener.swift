import Glibc
import RxPrimitives
public import RxSwift

/// A socket that connections come to. Listens from its making until `close`, or until its subscription ends.
public final class Listener: @unchecked Sendable, CustomStringConvertible {
    /// Where it listens, with the port that the system chose if none was asked for.
    public let address: SocketAddress

    /// The event loop that accepts.
    public let scheduler: IOUringScheduler

    private let core: ListenerCore
    private let options: ConnectionOptions
    private let connectionSchedulers: IOUringSchedulerGroup?

    /// Takes over a descriptor that listens.
    init(
        _ number: CInt, asked: SocketAddress, options: ConnectionOptions,
        connectionSchedulers: IOUringSchedulerGroup?, scheduler: IOUringScheduler, pathToRemove: String? = nil
    ) {
        address = Socket.localAddress(number) ?? asked
        self.scheduler = scheduler
        self.options = options
        self.connectionSchedulers = connectionSchedulers
        core = ListenerCore(number, pathToRemove: pathToRemove)
    }

    /// The address.
    public var description: String { "Listener(\(address))" }

    /// The connections, as they are accepted, on the thread of `scheduler`. Each lives on the loop that
    /// `connectionSchedulers` said, and is closed unless somebody holds or observes it.
    ///
    /// One subscription in all: after its end, by dispose or error, the listener is closed. When the process has no
    /// descriptor left (`EMFILE`), accepting pauses, and is tried again after 10 milliseconds, then 20, up to a second;
    /// `IOHooks.noticeHandler` is told once.
    /// - Returns: completes when the listener is closed. Fails with an `IOError` (`accept`), `EBUSY` if there is another
    ///   subscription, `EBADF` if the listener was closed before.
    public var connections: Observable<Connection> {
        scheduler.observable { [self] in
            AcceptSource(
                core, address: address, options: options, scheduler: scheduler, group: connectionSchedulers,
                downstream: $0)
        }
    }

    /// Listens no more; connections live on. From any thread, any number of times.
    public func close() { core.close() }
}

/// The descriptor of a listener: closed by whoever is the last to want it.
final class ListenerCore: @unchecked Sendable {
    let number: CInt
    private let pathToRemove: String?
    private let lock = SpinLock()
    /// Under the lock.
    @exclusivity(unchecked) private var state = State.free
    /// Who accepts. Under the lock.
    @exclusivity(unchecked) private var source: AcceptSource?

    private enum State { case free, accepting, closed }

    init(_ number: CInt, pathToRemove: String?) {
        self.number = number
        self.pathToRemove = pathToRemove
    }

    deinit { closeIfFree() }

    /// Gives the descriptor to a source, which closes it. Else why not, as an errno.
    func claim(_ source: AcceptSource) -> CInt {
        lock.withLock {
            switch state {
            case .accepting: return EBUSY
            case .closed: return EBADF
            case .free:
                state = .accepting
                self.source = source
                return 0
            }
        }
    }

    /// From any thread.
    func close() {
        if let source = lock.withLock({ source }) { return source.closeListener() }
        closeIfFree()
    }

    private func closeIfFree() {
        let isMine = lock.withLock {
            if state != .free { return false }
            state = .closed
            return true
        }
        guard isMine else { return }
        removePath()
        _ = Glibc.close(number)
    }

    /// The source has ended, and closes the descriptor.
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

    /// Before the descriptor is closed: then nobody else can have bound the path anew.
    private func removePath() {
        if let pathToRemove { unlink(pathToRemove) }
    }
}
