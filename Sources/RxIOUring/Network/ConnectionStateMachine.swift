// SPDX-License-Identifier: Apache-2.0

/// Decides what a connection does about each event of its life, its input and its output.
///
/// Holds no resources: the caller owns the descriptor, the operations and the bytes, and does what the results say. An event
/// that fits no row leaves the state as it is. `draining` stands beside the other states. The errors of closed(e) and failed(f) stand in
/// fields of their own, so that the states, which each chunk checks, are bytes. The input state ended(e) is `broken` if e is an error.
///
/// | event | in state | new state | result |
/// |---|---|---|---|
/// | `opened` | starting, startingToClose | open, closing | |
/// | `closeAnnounced` | starting, open | startingToClose, closing | |
/// | `closeRequested` | open, closing | flushing, ended | true |
/// | `drainBegan` | any | draining | |
/// | `terminated(e)` | any but closed, released | closed(e), ended(e) | true |
/// | `descriptorClosed` | closed(e) | released(e) | e |
/// | `watcherArrived` | starting, startingToClose | | reject |
/// | | released(e) | | tell(e) |
/// | | any other | | keep |
/// | `subscriberArrived` | unobserved | observed | receive |
/// | | unclaimed, and it wants chunks | observed | deliver |
/// | | unclaimed, and it was disposed of | abandoned | receive |
/// | | ended, unobserved | ended, observed | end |
/// | | any other | | reject |
/// | `subscriberLeft` | observed, abandoned, ended | unobserved, unclaimed, ended | |
/// | `received` | draining | | drop |
/// | | open, observed, and the subscriber wants it | | deliver |
/// | | open, unobserved or observed | unclaimed, abandoned | keep |
/// | | any other | | drop |
/// | `inputEnded(e)` | open or closing, and e is an error | closed(e), ended(e) | close |
/// | | open or closing, failed(f) | closed(f), ended(f) | close |
/// | | open or closing, finished | closed, ended | close |
/// | | open or closing | ended | tellSubscriber |
/// | `bytesArrived` | open or closing; accepting or finishing | | queue |
/// | | flushing; accepting or finishing | | queue(isLimited) |
/// | | open, closing or flushing; finished | | rejectBehindEnd |
/// | | any other | | reject |
/// | `shutdownRequested` | open or closing, accepting | finishing | true |
/// | `flushWanted` | open, closing or flushing; idle | scheduled | true |
/// | `tickEnded` | open, closing or flushing; not failed | idle | send |
/// | | flushing, failed(f) | idle, closed(f) | close |
/// | | open or closing, failed(f); not observed or abandoned | idle, closed(f), ended(f) | close |
/// | | any other | idle | none |
/// | `outputDrained` | flushing | closed | close |
/// | | open or closing, finishing, ended | finished, closed | shutDown(isLast) |
/// | | open or closing, finishing | finished | shutDown |
/// | `sendFailed(e)` | open or closing; observed or abandoned | failed(e) | dropOutput |
/// | | open, closing or flushing | failed(e), closed(e), ended(e) | close |
package struct ConnectionStateMachine {
    package enum Life: Equatable {
        /// The loop has not opened the connection yet.
        case starting
        /// The loop thread has requested the close before that.
        case startingToClose
        case open
        /// The loop thread has requested the close, which waits for its turn: nothing is received any more.
        case closing
        /// The close was requested: nothing is received, and queued bytes are sent.
        case flushing
        /// Nothing is sent any more, and the descriptor is being closed.
        case closed
        /// The descriptor is closed.
        case released
    }

    package enum Input: Equatable {
        /// There is no subscriber, and no chunk for the next one.
        case unobserved
        /// A subscriber receives.
        case observed
        /// A chunk has arrived that waits for the next subscriber.
        case unclaimed
        /// The same, while the loop has yet to learn that the subscriber was disposed of on another thread.
        case abandoned
        /// The peer has sent everything, or this side wants no more.
        case ended(isObserved: Bool)
        /// The input has ended with the failure of the connection.
        case broken(isObserved: Bool)
    }

    package enum Output: Equatable {
        case accepting
        /// A FIN follows the queued bytes.
        case finishing
        /// The FIN was sent.
        case finished
        case failed
    }

    package enum Flush { case idle, scheduled }

    package private(set) var life = Life.starting
    /// True while the loop ends, and queued bytes are sent.
    package private(set) var isDraining = false
    /// True once a receive has come to the end of what the peer sends: another one would do so at once.
    private var hasReceivedEnd = false
    package private(set) var input = Input.unobserved
    package private(set) var output = Output.accepting
    /// Whether the caller waits for the end of the loop's tick.
    package private(set) var flush = Flush.idle
    /// The error that closed the connection; nil if the close was requested.
    package private(set) var failure: IOError?
    /// The error that ended sending before the connection was closed.
    private var outputFailure: IOError?

    package init() {}

    // MARK: Life

    package mutating func opened() {
        switch life {
        case .starting: life = .open
        case .startingToClose: life = .closing
        default: break
        }
    }

    /// Handles a close requested on the loop thread, which is processed later, in order.
    package mutating func closeAnnounced() {
        switch life {
        case .starting: life = .startingToClose
        case .open: life = .closing
        default: break
        }
    }

    /// - Returns: whether the caller must end the input, and send the queued bytes before it closes.
    package mutating func closeRequested() -> Bool {
        guard isOpen else { return false }
        life = .flushing
        endInput(failed: false)
        return true
    }

    /// Handles that the loop ends: nothing more is received for a subscriber.
    package mutating func drainBegan() { isDraining = true }

    /// Handles an abort, the end of the loop, or of the time for queued bytes.
    ///
    /// - Returns: whether the caller must close.
    package mutating func terminated(_ error: IOError?) -> Bool {
        if life == .closed || life == .released { return false }
        close(error)
        return true
    }

    /// - Returns: the error to tell the watchers.
    package mutating func descriptorClosed() -> IOError? {
        if life == .closed { life = .released }
        return failure
    }

    package enum WatcherAction {
        case keep
        case tell(IOError?)
        /// The connection was never opened, since the loop had ended.
        case reject
    }

    package func watcherArrived() -> WatcherAction {
        switch life {
        case .starting, .startingToClose: .reject
        case .open, .closing, .flushing, .closed: .keep
        case .released: .tell(failure)
        }
    }

    package var isStarting: Bool { life == .starting || life == .startingToClose }

    /// True if no close was processed.
    package var isOpen: Bool { life == .open || life == .closing }

    private mutating func close(_ error: IOError?) {
        life = .closed
        failure = error
        endInput(failed: error != nil)
    }

    // MARK: Input

    package enum Arrival { case reject, deliver, receive, end }

    /// - Parameter isWanted: false if the subscriber was disposed of meanwhile.
    package mutating func subscriberArrived(isWanted: Bool) -> Arrival {
        switch input {
        case .unobserved: input = .observed
        case .unclaimed where isWanted:
            input = .observed
            return .deliver
        case .unclaimed: input = .abandoned
        case .ended(isObserved: false):
            input = .ended(isObserved: true)
            return .end
        case .broken(isObserved: false):
            input = .broken(isObserved: true)
            return .end
        case .observed, .abandoned, .ended, .broken: return .reject
        }
        return .receive
    }

    package mutating func subscriberLeft() {
        switch input {
        case .observed: input = .unobserved
        case .abandoned: input = .unclaimed
        case .ended: input = .ended(isObserved: false)
        case .broken: input = .broken(isObserved: false)
        case .unobserved, .unclaimed: break
        }
    }

    package enum Reception { case deliver, keep, drop }

    /// - Parameter isWanted: whether there is a subscriber that was not disposed of.
    package mutating func received(isWanted: Bool) -> Reception {
        guard life == .open, !isDraining else { return .drop }
        switch input {
        case .observed where isWanted: return .deliver
        case .observed: input = .abandoned
        case .unobserved: input = .unclaimed
        case .unclaimed, .abandoned, .ended, .broken: return .drop
        }
        return .keep
    }

    package enum InputEndAction { case none, tellSubscriber, close }

    /// - Parameter error: nil if the peer has sent everything.
    package mutating func inputEnded(_ error: IOError?) -> InputEndAction {
        hasReceivedEnd = true
        guard isOpen else { return .none }
        if error == nil, output == .accepting || output == .finishing {
            endInput(failed: false)
            return .tellSubscriber
        }
        close(error ?? outputFailure)
        return .close
    }

    /// True if what the peer sends is dropped while queued bytes are sent.
    package var discardsInput: Bool { !hasReceivedEnd && (life == .flushing || isDraining && isSending) }

    /// True if there is a subscriber whose input has not ended.
    private var isObserved: Bool { input == .observed || input == .abandoned }

    /// True if a subscriber waits for the next chunk.
    package var wantsChunk: Bool { life == .open && input == .observed && !isDraining }

    package var inputEnd: InputEnd? {
        switch input {
        case .unobserved, .observed, .unclaimed, .abandoned: nil
        case .ended: .completed
        case .broken: failure.map(InputEnd.failed)
        }
    }

    private mutating func endInput(failed: Bool) {
        switch input {
        case .unobserved, .unclaimed: input = failed ? .broken(isObserved: false) : .ended(isObserved: false)
        case .observed, .abandoned: input = failed ? .broken(isObserved: true) : .ended(isObserved: true)
        case .ended, .broken: break
        }
    }

    // MARK: Output

    package enum Acceptance {
        /// - Parameter isLimited: whether the time for sending is limited.
        case queue(isLimited: Bool)
        /// The error is `sendFailure`, or that there is no connection.
        case reject
        /// The bytes came from another thread that did not know of the FIN.
        case rejectBehindEnd
    }

    package func bytesArrived() -> Acceptance {
        guard isSending else { return .reject }
        switch output {
        case .accepting, .finishing: return .queue(isLimited: !isOpen)
        case .finished: return .rejectBehindEnd
        case .failed: return .reject
        }
    }

    /// - Returns: whether the caller must flush.
    package mutating func shutdownRequested() -> Bool {
        guard isOpen, output == .accepting else { return false }
        output = .finishing
        return true
    }

    /// - Returns: whether the caller must ask to be told of the end of the tick.
    package mutating func flushWanted() -> Bool {
        guard isSending, flush == .idle else { return false }
        flush = .scheduled
        return true
    }

    package enum FlushAction { case none, send, close }

    package mutating func tickEnded() -> FlushAction {
        flush = .idle
        guard isSending else { return .none }
        if output != .failed { return .send }
        // The subscriber may read what had arrived before the failure.
        if isOpen, isObserved { return .none }
        close(outputFailure)
        return .close
    }

    /// True if the output ends when all queued bytes are sent.
    package var endsWhenDrained: Bool { isSending && (!isOpen || output == .finishing) }

    package enum DrainAction {
        case none
        /// Send the FIN, and close if it is the last thing to do.
        case shutDown(isLast: Bool)
        case close
    }

    /// Handles that the kernel has taken all queued bytes.
    package mutating func outputDrained() -> DrainAction {
        guard isSending else { return .none }
        guard isOpen else {
            close(nil)
            return .close
        }
        if output != .finishing { return .none }
        output = .finished
        let isLast = inputEnd != nil
        if isLast { close(nil) }
        return .shutDown(isLast: isLast)
    }

    package enum FailureAction { case none, dropOutput, close }

    package mutating func sendFailed(_ error: IOError) -> FailureAction {
        guard isSending else { return .none }
        output = .failed
        outputFailure = error
        if isObserved { return .dropOutput }
        close(error)
        return .close
    }

    /// True from the opening until the connection is closed.
    package var isSending: Bool {
        switch life {
        case .open, .closing, .flushing: true
        case .starting, .startingToClose, .closed, .released: false
        }
    }

    /// The error with which bytes are rejected; nil if there is none, or no connection.
    package var sendFailure: IOError? { outputFailure ?? failure }
}
