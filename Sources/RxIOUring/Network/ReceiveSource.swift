import Glibc
import RxSwift

/// A socket on its loop, as the one who receives sees it. For the loop's thread.
protocol ReceivingCore: AnyObject {
    associatedtype Received

    var loop: EventLoop { get }
    var subject: String { get }

    /// Why nothing more comes; nil while something may.
    var inputEnd: InputEnd? { get }

    /// Begins to receive for a subscriber. False if there is one already.
    func begin(_ source: ReceiveSource<Self>) -> Bool

    /// The subscriber has left.
    func end(_ source: ReceiveSource<Self>)
}

/// What ends what is received.
enum InputEnd {
    case completed
    case failed(IOError)
}

/// What comes on a socket, for one subscriber.
final class ReceiveSource<Core: ReceivingCore>: LoopSource<Core.Received> {
    /// The `Connection` or `UDPSocket`: keeps it open while it is observed.
    @exclusivity(unchecked) private var socket: AnyObject?
    private let core: Core
    @exclusivity(unchecked) private var isEmitting = false

    init(_ socket: AnyObject, _ core: Core, downstream: Sink<Core.Received>) {
        self.socket = socket
        self.core = core
        super.init(loop: core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        if !core.begin(self) { fail("receive", EBUSY) }
    }

    override func end() {
        core.end(self)
        let released = socket
        socket = nil
        withExtendedLifetime(released) {}
    }

    func receive(_ element: Core.Received) {
        isEmitting = true
        emit(element)
        isEmitting = false
        // The observer may have closed the socket.
        if isRunning, core.inputEnd != nil { inputEnded() }
    }

    /// Nothing more comes.
    func inputEnded() {
        if isEmitting { return }
        switch core.inputEnd {
        case .completed?: complete()
        case .failed(let error)?: fail(with: error)
        case nil: break
        }
    }
}
