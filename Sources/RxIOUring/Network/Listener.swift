import Glibc
import RxPrimitives
public import RxSwift

/// A socket that connections come to. Listens from its making until `close`, until its subscription ends, or until nobody holds
/// it nor is subscribed.
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

    /// Listens no more; connections live on. From any thread, any number of times. With a subscription it is the loop that
    /// closes, soon, and `connections` that tells.
    public func close() {
        guard core.isAwaited else { return core.close() }
        // Behind the subscription that was made before.
        scheduler.loop.perform(core.close, rejected: core.close)
    }
}

/// The descriptor of a listener: closed by whoever is the last to want it.
final class ListenerCore: @unchecked Sendable {
    let number: CInt
    private let pathToRemove: String?
    private let lock = Mutex()
    /// Under the lock.
    @exclusivity(unchecked) private var state = State.free
    /// Who accepts. Under the lock.
    @exclusivity(unchecked) private var source: AcceptSource?
    /// How many sources were made and have not come to claim the descriptor.
    private let sourcesToCome = AtomicWord(0)

    private enum State { case free, accepting, closed }

    init(_ number: CInt, pathToRemove: String?) {
        self.number = number
        self.pathToRemove = pathToRemove
    }

    deinit { closeIfFree() }

    /// Whether a source is about to claim the descriptor. Whoever made one sees it.
    var isAwaited: Bool { sourcesToCome.loadRelaxed() != 0 }

    /// A source was made, which will claim the descriptor.
    func expectSource() { _ = sourcesToCome.fetchAdd(1) }

    /// It has, or it never will.
    func expectNoMore() { _ = sourcesToCome.fetchAdd(0 &- 1) }

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
