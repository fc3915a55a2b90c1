// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// A socket on its loop, as its subscriber sees it. Used on the loop thread only.
protocol ReceivingCore: AnyObject {
    associatedtype Received

    var loop: EventLoop { get }
    var subject: String { get }

    /// The end of the input; nil while more may come.
    var inputEnd: InputEnd? { get }

    /// Begins to receive for a subscriber. Returns false if there is one already.
    func begin(_ source: ReceiveSource<Self>) -> Bool

    /// Tells the core that the subscriber has left.
    func end(_ source: ReceiveSource<Self>)

    /// True while the subscriber is told of the end of the loop.
    var isInputEnding: Bool { get set }

    /// Submits the next receive, unless one is in flight, or the subscriber's source has to pause.
    func receiveNext()
}

/// The end of a socket's input.
package enum InputEnd {
    case completed
    case failed(IOError)
}

/// The input of a socket, for one subscriber.
final class ReceiveSource<Core: ReceivingCore>: LoopSource<Core.Received> {
    /// The `Connection` or `UDPSocket`, kept open while it is observed.
    @exclusivity(unchecked) private var socket: AnyObject?
    private let core: Core
    @exclusivity(unchecked) private var isEmitting = false
    /// The next attempt to begin, while another subscriber is there.
    @exclusivity(unchecked) private var nextAttempt: DelayTimer?

    /// The nanoseconds until the second attempt, each further one waits for twice as long, and until the last.
    private static var firstPause: Int64 { 1_000_000 }
    private static var longestPause: Int64 { 32_000_000 }

    init(_ socket: AnyObject, _ core: Core, downstream: Sink<Core.Received>) {
        self.socket = socket
        self.core = core
        super.init(loop: core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        if core.begin(self) { return }
        // The subscriber may be about to leave: a `take(1)` does so after its last event, in which this one may have come. Its leaving would
        // wait for what `loop.submit` counts.
        loop.queue.submit(
            WorkJob { [self] _, isRejected in
                if !isRejected { beginOrTryAgain(after: Self.firstPause) }
                return !isRejected
            })
    }

    /// Begins, or waits for the subscriber to leave. Behind a hop it does so on another thread, once that has told the end.
    private func beginOrTryAgain(after pause: Int64) {
        if !isRunning || core.begin(self) { return }
        if pause > Self.longestPause { return fail("receive", EBUSY) }
        nextAttempt = DelayTimer(on: loop, after: pause) { [self] in
            nextAttempt = nil
            beginOrTryAgain(after: 2 * pause)
        }
    }

    override func continueReading() { core.receiveNext() }

    override func loopEnded() {
        core.isInputEnding = true
        super.loopEnded()
        core.isInputEnding = false
    }

    override func end() {
        nextAttempt?.cancel(on: loop)
        nextAttempt = nil
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

    /// Ends the source as `inputEnd` tells; during an emission, `receive` does so afterwards.
    func inputEnded() {
        if isEmitting { return }
        switch core.inputEnd {
        case .completed?: complete()
        case .failed(let error)?: fail(with: error)
        case nil: break
        }
    }
}
