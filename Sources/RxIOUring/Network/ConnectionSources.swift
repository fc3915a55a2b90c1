// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// Completes when a connection is closed.
final class ClosedSource: LoopSource<Never>, ConnectionWatcher {
    private let core: ConnectionCore

    init(_ core: ConnectionCore, downstream: Sink<Never>) {
        self.core = core
        super.init(loop: core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() { core.add(self) }

    override func end() { core.remove(self) }

    func connectionClosed(_ error: IOError?) {
        if let error { fail(with: error) } else { complete() }
    }
}

/// Sends one chunk on a connection.
final class ChunkWriteSource: QueuedWriteSource, ConnectionWatcher {
    private let core: ConnectionCore
    /// Nil once they are queued or rejected: the subscriber may be told much later. Used by the subscribing thread only.
    @exclusivity(unchecked) private var bytes: ByteChunk?

    init(_ connection: Connection, _ bytes: ByteChunk, downstream: Sink<Never>) {
        self.bytes = bytes
        core = connection.core
        super.init(target: connection, loop: connection.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func enqueue() -> IOError? {
        guard let bytes = bytes.take() else { return nil }
        let code = core.enqueue(bytes, self)
        return code == 0 ? nil : core.rejectionError(code)
    }

    override func rejectOutput() {
        bytes = nil
        core.rejectSends(ECANCELED)
    }

    override func begin() {
        super.begin()
        if isRunning { core.add(self) }
    }

    override func end() {
        core.remove(self)
        super.end()
    }

    func connectionClosed(_ error: IOError?) {
        // Whether the bytes were sent before an orderly close is told to the waiter.
        if let error { fail(with: error) }
    }
}

/// Sends the elements of a sequence on a connection.
final class WriteSource: QueuedSequenceSource, ConnectionWatcher, @unchecked Sendable {
    private let core: ConnectionCore

    init(_ connection: Connection, _ source: Observable<ByteChunk>, downstream: Sink<Never>) {
        core = connection.core
        super.init(target: connection, source: source, loop: connection.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?, beyondLimit tolerance: OutputTolerance)
        -> IOError?
    {
        let code = core.enqueue(bytes, waiter, beyondLimit: tolerance)
        return code == 0 ? nil : core.rejectionError(code)
    }

    override var limit: Int { core.options.sendLimit }

    override func isQueueFull(_ source: any PausableSource) -> Bool { core.isFull(source) }

    override func watchOutput() { core.add(self) }

    override func unwatchOutput() { core.remove(self) }

    override func rejectOutput() { core.rejectSends(ECANCELED) }

    override var isRejectedEarly: Bool { true }

    override func wasRejected() {
        // The subscriber is told next, and must not have something accepted then.
        rejectOutput()
        // What comes when the loop does not send any more, or on another thread, is too late.
        if core.loop.isCurrent, !core.isInputEnding { core.isIncomplete = true }
    }

    override func sourceFailed(_ error: any Error) {
        // The answers to a peer that has no more questions are whole. The end of the input may have waited in a hop.
        if !core.isInputEnding, (error as? IOError) != core.shutDownError { core.isIncomplete = true }
    }

    override func elementRejected(_ error: IOError) {
        // The loop ends, and sends what it had accepted before. On another thread the element comes too late.
        if error.code == ECANCELED, core.loop.isCurrent, !core.isInputEnding { core.isIncomplete = true }
    }

    var hasMore: Bool { !hasInputCompleted }

    func connectionClosed(_ error: IOError?) {
        // The waiter is queued after all chunks, and learns whether they were sent before the close.
        if error == nil, hasInputCompleted { return }
        fail(with: error ?? IOError(code: ECANCELED, operation: "send", subject: subject))
    }
}
