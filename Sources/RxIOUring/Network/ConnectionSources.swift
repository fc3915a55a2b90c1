// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
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
    private let bytes: ByteChunk

    init(_ connection: Connection, _ bytes: ByteChunk, downstream: Sink<Never>) {
        self.bytes = bytes
        core = connection.core
        super.init(target: connection, loop: connection.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func enqueue() -> IOError? {
        let code = core.enqueue(bytes, self)
        return code == 0 ? nil : IOError(code: code, operation: "send", subject: subject)
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
final class WriteSource: LoopSource<Never>, ConnectionWatcher, WriteWaiter, @unchecked Sendable {
    /// Keeps the connection open until everything was sent.
    @exclusivity(unchecked) private var connection: Connection?
    private let core: ConnectionCore
    private let source: Observable<ByteChunk>
    private let sources = InputSources()
    private let input: InputSubscription<ByteChunk>
    /// True once the source has asked whether to pause; used in its context.
    @exclusivity(unchecked) private var isPausable = false
    /// True once bytes were rejected; used by the source's events, which are serial.
    @exclusivity(unchecked) private var wasRejected = false
    /// 1 once the source has completed; used from any thread.
    private let hasCompleted = AtomicWord(0)

    init(_ connection: Connection, _ source: Observable<ByteChunk>, downstream: Sink<Never>) {
        self.connection = connection
        self.source = source
        input = InputSubscription(pausing: sources)
        core = connection.core
        super.init(loop: connection.core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        core.add(self)
        guard isRunning else { return }
        input.begin(
            source, onNext: { [self] bytes in enqueue(bytes) },
            onError: { [self] error in whileRunning { self.fail(with: error) } },
            onCompleted: { [self] in
                _ = hasCompleted.exchange(1)
                // The waiter is queued with an empty chunk, after all other chunks.
                enqueue(ByteChunk(EmptyCollection()), self)
            },
            isFull: { [self] in isFull($0) })
    }

    override func wasStopped() { input.dispose() }

    override func end() {
        core.remove(self)
        input.dispose()
        let released = connection
        connection = nil
        withExtendedLifetime(released) {}
    }

    /// Queues bytes, on any thread, unless bytes before them were rejected.
    private func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)? = nil) {
        if wasRejected { return }
        let code = core.enqueue(bytes, waiter, isLimited: !isPausable)
        if code == 0 { return }
        wasRejected = true
        // Disposed of at once: the loop thread may be busy with this very source.
        input.dispose()
        whileRunning { self.fail("send", code) }
    }

    /// Tells whether a source of the input has to pause.
    private func isFull(_ source: any PausableSource) -> Bool {
        isPausable = true
        if !core.isFull { return false }
        sources.add(source)
        return core.beginWait(sources)
    }

    func writeEnded(_ error: IOError?) {
        if let error { fail(with: error) } else { complete() }
    }

    func connectionClosed(_ error: IOError?) {
        // The waiter is queued after all chunks, and learns whether they were sent before the close.
        if error == nil, hasCompleted.loadRelaxed() != 0 { return }
        fail(with: error ?? IOError(code: ECANCELED, operation: "send", subject: subject))
    }
}
