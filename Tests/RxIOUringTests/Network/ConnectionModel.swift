// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring

/// A caller that does what the state machine says, as `ConnectionCore` does, with counts for bytes and operations.
///
/// It notes the laws that a step has broken.
struct ConnectionModel {
    /// A property that holds after every sequence of events.
    enum Law: String, CaseIterable, Sendable {
        case closedForEver = "a closed connection stays closed, with its first error"
        case oneFIN = "the FIN is sent once, behind all accepted bytes"
        case noLateReceive =
            "nothing is received after the end of the input, a close on the loop thread, or the end of the loop"
        case receives = "a subscriber receives until the input ends"
        case noLostChunk = "no chunk is lost or overtaken before the close"
        case endTold = "a subscriber is told of the end of the input"
        case oneSubscriber = "there is one subscriber at a time"
        case noLateBytes = "nothing is accepted after a rejection, and nothing is rejected before the end of the output"
        case sends = "accepted bytes and the FIN wait for the end of the tick or for a send in flight"
        case ends = "a connection that has ended in both directions is closed, and by nothing else"
        case watchersToldOnce = "a watcher is told once, with the error, when the descriptor is closed"
    }

    /// What may happen to a connection.
    enum Step: CaseIterable {
        case opened, closeAnnounced, closeRequested, closeRequestedAndAborted, aborted, drainBegan, loopEnded
        case descriptorClosed
        case watcherArrived
        case subscriberArrived, disposedSubscriberArrived, subscriberDisposed, subscriberLeft
        case receiveSubmitted, chunkReceived, peerFinished, receiveFailed
        case bytesArrived, shutdownRequested, tickEnded, bytesSent, sendFailed
    }

    private var machine = ConnectionStateMachine()
    private var resources = Resources()
    private(set) var broken: Set<Law> = []

    /// The resources that the caller holds, and the events so far.
    fileprivate struct Resources: Hashable {
        var hasSubscriber = false
        /// False once the subscriber was disposed of on another thread.
        var isWanted = false
        var isReceiveInFlight = false
        var isChunkKept = false
        var queued = 0
        var isSendInFlight = false
        var isObservingTick = false
        var watchers = 0
        var isCloseAnnounced = false
        var isCloseProcessed = false
        var isDraining = false
        var isInputOver = false
        var isEndTold = false
        var wantsFIN = false
        var isFINSent = false
        var hasFailed = false
        var hasRejected = false
        var isClosed = false
        var isDescriptorClosed = false
        var error: CInt = 0
    }

    struct State: Hashable {
        let life: Int
        let input: Int
        let output: ConnectionStateMachine.Output
        let flush: ConnectionStateMachine.Flush
        let failure: CInt
        fileprivate let resources: Resources
    }

    var state: State {
        State(
            life: machine.life.rank, input: machine.input.rank, output: machine.output, flush: machine.flush,
            failure: machine.failure?.code ?? 0, resources: resources)
    }

    private mutating func check(_ law: Law, _ holds: Bool) {
        if !holds { broken.insert(law) }
    }

    /// Returns false if the step is impossible in this state.
    mutating func take(_ step: Step) -> Bool {
        let rank = machine.life.rank
        guard perform(step) else { return false }
        check(.closedForEver, machine.life.rank >= rank)
        checkState()
        return true
    }

    private mutating func perform(_ step: Step) -> Bool {
        switch step {
        case .opened:
            guard machine.isStarting else { return false }
            machine.opened()
        case .closeAnnounced:
            machine.closeAnnounced()
            resources.isCloseAnnounced = true
        case .closeRequested: requestClose()
        // The subscriber aborts when it is told of the end of the input.
        case .closeRequestedAndAborted: requestClose { $0.terminate(nil) }
        case .aborted: terminate(nil)
        case .drainBegan:
            machine.drainBegan()
            resources.isDraining = true
        case .loopEnded: terminate(.loopEnded)
        case .descriptorClosed:
            guard resources.isClosed, !resources.isDescriptorClosed else { return false }
            if resources.isReceiveInFlight || resources.isSendInFlight { return false }
            resources.isDescriptorClosed = true
            check(.watchersToldOnce, machine.descriptorClosed()?.code ?? 0 == resources.error)
            resources.watchers = 0
        case .watcherArrived:
            guard resources.watchers < 1 else { return false }
            addWatcher()
        case .subscriberArrived: subscribe(isWanted: true)
        case .disposedSubscriberArrived: subscribe(isWanted: false)
        case .subscriberDisposed: resources.isWanted = false
        case .subscriberLeft:
            guard resources.hasSubscriber else { return false }
            machine.subscriberLeft()
            resources.hasSubscriber = false
            resources.isWanted = false
            resources.isEndTold = false
            scheduleFlush()
        case .receiveSubmitted:
            guard machine.wantsChunk, !resources.isReceiveInFlight else { return false }
            check(.noLateReceive, !resources.isInputOver && !resources.isCloseAnnounced && !resources.isDraining)
            check(.noLostChunk, !resources.isChunkKept)
            resources.isReceiveInFlight = true
        case .chunkReceived, .peerFinished, .receiveFailed:
            guard resources.isReceiveInFlight else { return false }
            resources.isReceiveInFlight = false
            if step == .chunkReceived { receive() } else { endInput(step == .peerFinished ? nil : .reset) }
        case .bytesArrived:
            // Bytes for a connection that was not opened wait in the inbox.
            guard !machine.isStarting, resources.queued < 2 else { return false }
            enqueue()
        case .shutdownRequested:
            if machine.shutdownRequested() {
                resources.wantsFIN = true
                scheduleFlush()
            }
        case .tickEnded:
            guard resources.isObservingTick else { return false }
            resources.isObservingTick = false
            switch machine.tickEnded() {
            case .none: break
            case .send: flush()
            case .close:
                check(.ends, resources.isCloseProcessed || !resources.hasSubscriber)
                check(.ends, machine.failure == .broken)
                close()
            }
        case .bytesSent, .sendFailed:
            guard resources.isSendInFlight else { return false }
            resources.isSendInFlight = false
            guard machine.isSending else { return true }
            if step == .sendFailed { failSending() } else { sent() }
        }
        return true
    }

    /// Checks what holds in every state.
    private mutating func checkState() {
        let r = resources
        check(.closedForEver, r.isClosed == (machine.life.rank >= 5))
        check(.closedForEver, !r.isClosed || machine.failure?.code ?? 0 == r.error)
        check(.watchersToldOnce, !r.isDescriptorClosed || r.watchers == 0)
        check(.endTold, r.isInputOver == (machine.inputEnd != nil))
        check(.endTold, !r.isInputOver || !r.hasSubscriber || r.isEndTold)
        let mayReceive =
            r.hasSubscriber && !r.isInputOver && !r.isCloseAnnounced && !r.isDraining && !machine.isStarting
        check(.receives, !mayReceive || machine.wantsChunk || r.isChunkKept)
        if r.isClosed { return }
        let isDue = r.isObservingTick || r.isSendInFlight
        check(.sends, isDue || r.queued == 0)
        check(.sends, isDue || !r.wantsFIN || r.isFINSent || r.hasFailed)
        check(.ends, isDue || !r.isCloseProcessed)
        check(.ends, isDue || !r.hasFailed || r.hasSubscriber)
        check(.ends, isDue || !r.isInputOver || !(r.isFINSent || r.hasFailed))
    }

    // MARK: Life

    private mutating func requestClose(then callback: (inout ConnectionModel) -> Void = { _ in }) {
        let mayClose = machine.isOpen
        guard machine.closeRequested() else { return check(.ends, !mayClose) }
        check(.closedForEver, !resources.isCloseProcessed && !resources.isClosed)
        resources.isCloseProcessed = true
        inputIsOver()
        callback(&self)
        scheduleFlush()
    }

    private mutating func terminate(_ error: IOError?) {
        let isFirst = machine.terminated(error)
        check(.closedForEver, isFirst == !resources.isClosed)
        if isFirst {
            check(.closedForEver, machine.failure == error)
            close()
        }
    }

    private mutating func close() {
        check(.closedForEver, !resources.isClosed)
        resources.isClosed = true
        resources.error = machine.failure?.code ?? 0
        inputIsOver()
        resources.queued = 0
    }

    private mutating func addWatcher() {
        switch machine.watcherArrived() {
        case .keep:
            check(.watchersToldOnce, !resources.isDescriptorClosed)
            resources.watchers += 1
        case .tell(let error):
            check(.watchersToldOnce, resources.isDescriptorClosed && error?.code ?? 0 == resources.error)
        case .reject: check(.watchersToldOnce, machine.isStarting)
        }
    }

    // MARK: Input

    private mutating func subscribe(isWanted: Bool) {
        let arrival = machine.subscriberArrived(isWanted: isWanted)
        check(.oneSubscriber, (arrival == .reject) == resources.hasSubscriber)
        if arrival == .reject { return }
        resources.hasSubscriber = true
        resources.isWanted = isWanted
        check(.endTold, (arrival == .end) == resources.isInputOver)
        resources.isEndTold = arrival == .end
        check(.noLostChunk, (arrival == .deliver) == (isWanted && resources.isChunkKept))
        if arrival == .deliver { resources.isChunkKept = false }
    }

    private mutating func receive() {
        let isWanted = resources.hasSubscriber && resources.isWanted
        let isOver = resources.isInputOver || resources.isCloseAnnounced || resources.isDraining
        switch machine.received(isWanted: isWanted) {
        case .deliver:
            check(.noLateReceive, !isOver && isWanted)
            check(.noLostChunk, !resources.isChunkKept)
        case .keep:
            check(.noLateReceive, !isOver)
            check(.noLostChunk, !resources.isChunkKept && !isWanted)
            resources.isChunkKept = true
        case .drop: check(.noLostChunk, isOver)
        }
    }

    private mutating func endInput(_ error: IOError?) {
        let action = machine.inputEnded(error)
        check(.endTold, (action == .none) == resources.isInputOver)
        switch action {
        case .none: break
        case .tellSubscriber:
            check(.ends, error == nil)
            inputIsOver()
        case .close:
            check(.ends, error != nil || resources.hasFailed || resources.isFINSent)
            let expected = error?.code ?? (resources.hasFailed ? EPIPE : 0)
            check(.ends, machine.failure?.code ?? 0 == expected)
            close()
        }
    }

    private mutating func inputIsOver() {
        resources.isInputOver = true
        resources.isChunkKept = false
        resources.isEndTold = resources.hasSubscriber
    }

    // MARK: Output

    private mutating func enqueue() {
        let isOver = resources.isClosed || resources.hasFailed || resources.isFINSent
        switch machine.bytesArrived() {
        case .queue(let isLimited):
            check(.noLateBytes, !isOver && !resources.hasRejected)
            check(.sends, isLimited == resources.isCloseProcessed)
            resources.queued += 1
            scheduleFlush()
        case .reject:
            check(.noLateBytes, resources.isClosed || resources.hasFailed)
            let expected = resources.hasFailed ? EPIPE : resources.error
            check(.noLateBytes, machine.sendFailure?.code ?? 0 == expected)
            resources.hasRejected = true
        case .rejectBehindEnd:
            check(.noLateBytes, resources.isFINSent && !resources.isClosed)
            resources.hasRejected = true
        }
    }

    private mutating func scheduleFlush() {
        guard machine.flushWanted() else { return }
        check(.sends, !resources.isObservingTick && !resources.isClosed)
        resources.isObservingTick = true
    }

    private mutating func flush() {
        if resources.isSendInFlight { return }
        if resources.queued > 0 {
            resources.isSendInFlight = true
            return
        }
        switch machine.outputDrained() {
        case .none: check(.sends, !resources.wantsFIN || resources.isFINSent)
        case .shutDown(let isLast):
            check(.oneFIN, resources.wantsFIN && !resources.isFINSent && !resources.isClosed)
            check(.ends, isLast == resources.isInputOver)
            resources.isFINSent = true
            if isLast { close() }
        case .close:
            check(.ends, resources.isCloseProcessed)
            close()
        }
    }

    private mutating func sent() {
        resources.queued -= 1
        flush()
    }

    private mutating func failSending() {
        let mayBeRead = resources.hasSubscriber && !resources.isInputOver
        let action = machine.sendFailed(.broken)
        resources.hasFailed = true
        resources.queued = 0
        check(.ends, action == (mayBeRead ? .dropOutput : .close))
        if action == .close { close() }
    }
}

extension IOError {
    static let reset = IOError(code: ECONNRESET, operation: "receive", subject: "")
    static let broken = IOError(code: EPIPE, operation: "send", subject: "")
    static let loopEnded = IOError(code: ECANCELED, operation: "event loop shut down", subject: "")
}

// The ranks tell the states apart; those of the life grow.

extension ConnectionStateMachine.Life {
    fileprivate var rank: Int {
        switch self {
        case .starting: 0
        case .startingToClose: 1
        case .open: 2
        case .closing: 3
        case .flushing: 4
        case .closed: 5
        case .released: 6
        }
    }
}

extension ConnectionStateMachine.Input {
    fileprivate var rank: Int {
        switch self {
        case .unobserved: 0
        case .observed: 1
        case .unclaimed: 2
        case .abandoned: 3
        case .ended(isObserved: false): 4
        case .ended(isObserved: true): 5
        case .broken(isObserved: false): 6
        case .broken(isObserved: true): 7
        }
    }
}
