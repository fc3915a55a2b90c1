// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension Connection {
    /// Takes over a connected stream socket at each subscription: an end of a `socketpair`, or a descriptor that was accepted elsewhere.
    ///
    /// If it fits, the connection owns the descriptor, closes it, and closes it in programs that are run; it may be made non-blocking, for other
    /// processes that share it, too. If not, or if the loop has ended (`ECANCELED`), it stays the caller's. A subscription takes it over, so one
    /// is all there can be; one that is disposed of at once has the descriptor closed.
    /// - Parameters:
    ///   - descriptor: a connected socket of TCP or of the Unix family.
    ///   - options: the behaviour of the connection, without `prepareSocket`.
    ///   - scheduler: the event loop on which the connection lives and is emitted.
    /// - Returns: fails with an `IOError` (`adopt`): `EBUSY` if another subscription to this result has taken it over (two results for one
    ///   descriptor know nothing of each other: the second connection would close that of the first), `EBADF`, `ENOTSOCK`, `EPROTOTYPE` if it
    ///   is no stream, `EAFNOSUPPORT`, `EINVAL` if it listens, `ENOTCONN`.
    public static func adopt(
        _ descriptor: CInt, options: ConnectionOptions = ConnectionOptions(), scheduler: IOUringScheduler
    ) -> Single<Connection> {
        let ownership = DescriptorOwnership()
        return Single(
            raw: scheduler.observable { AdoptSource(descriptor, ownership, options, scheduler, downstream: $0) })
    }
}

private final class AdoptSource: LoopSource<Connection> {
    private let descriptor: CInt
    private let ownership: DescriptorOwnership
    private let options: ConnectionOptions
    private let scheduler: IOUringScheduler

    init(
        _ descriptor: CInt, _ ownership: DescriptorOwnership, _ options: ConnectionOptions,
        _ scheduler: IOUringScheduler, downstream: Sink<Connection>
    ) {
        self.descriptor = descriptor
        self.ownership = ownership
        self.options = options
        self.scheduler = scheduler
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String { "descriptor \(descriptor)" }

    override func begin() {
        do {
            emit(try takeOver())
            complete()
        } catch {
            fail(with: error)
        }
    }

    /// The connection that was wanted no more closes.
    override func wasDisposedUnbegun() { _ = try? takeOver() }

    private func takeOver() throws -> Connection {
        guard ownership.take() else { throw IOError(code: EBUSY, operation: "adopt", subject: subject) }
        do {
            let local = try Socket.inspect(descriptor, listens: false)
            let remote = Socket.remoteAddress(descriptor) ?? SocketAddress(.unix([]))
            return Connection(descriptor, local: local, remote: remote, options: options, scheduler: scheduler)
        } catch {
            ownership.giveBack()
            throw error
        }
    }

    override func end() {}
}
