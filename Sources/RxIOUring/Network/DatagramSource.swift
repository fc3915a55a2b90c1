import Glibc
import RxSwift

/// The datagrams of a socket, for one subscriber.
final class DatagramSource: LoopSource<Datagram> {
    /// Keeps it open while it is observed.
    @exclusivity(unchecked) private var socket: UDPSocket?
    private let core: UDPCore
    @exclusivity(unchecked) private var isEmitting = false

    init(_ socket: UDPSocket, downstream: Sink<Datagram>) {
        self.socket = socket
        core = socket.core
        super.init(loop: socket.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        if core.isClosed { return complete() }
        if !core.begin(self) { fail("receive", EBUSY) }
    }

    override func end() {
        core.end(self)
        let released = socket
        socket = nil
        withExtendedLifetime(released) {}
    }

    func receive(_ datagram: Datagram) {
        isEmitting = true
        emit(datagram)
        isEmitting = false
        if core.isClosed { complete() }
    }

    func closed() {
        if !isEmitting { complete() }
    }

    func failed(_ code: CInt) { fail("receive", code) }
}
