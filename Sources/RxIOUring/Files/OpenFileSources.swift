// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// Queues one write or one synchronization, and waits for its outcome.
final class FileRequestSource: QueuedWriteSource {
    private let output: FileOutput
    /// Nil once it is queued or rejected: the subscriber may be told much later. Used by the subscribing thread only.
    @exclusivity(unchecked) private var work: WriteQueue.Item.Work?

    init(_ file: OpenFile, _ work: WriteQueue.Item.Work, downstream: Sink<Never>) {
        output = file.output
        self.work = work
        super.init(target: file, loop: file.output.loop, downstream: downstream)
    }

    override var subject: String { output.path }

    override func enqueue() -> IOError? {
        guard let work = work.take() else { return nil }
        if case .write(_, _?) = work, output.isAppending || !output.hasPlaces {
            return IOError(code: output.isAppending ? EINVAL : ESPIPE, operation: "write", subject: subject)
        }
        return output.add(WriteQueue.Item(work: work, waiter: self), beyondLimit: .none).rejection
    }

    override func rejectOutput() {
        work = nil
        output.rejectAtEnd()
    }
}

/// Writes the elements of a sequence to an open file.
final class FileSequenceSource: QueuedSequenceSource, OutputObserver, @unchecked Sendable {
    private let output: FileOutput

    init(_ file: OpenFile, _ source: Observable<ByteChunk>, downstream: Sink<Never>) {
        output = file.output
        super.init(target: file, source: source, loop: file.output.loop, downstream: downstream)
    }

    override var subject: String { output.path }

    override func enqueue(_ bytes: ByteChunk, _ waiter: (any WriteWaiter)?, beyondLimit tolerance: OutputTolerance)
        -> IOError?
    {
        output.add(WriteQueue.Item(work: .write(bytes, offset: nil), waiter: waiter), beyondLimit: tolerance).rejection
    }

    override var limit: Int { output.queue.limit }

    override func isQueueFull(_ source: any PausableSource) -> Bool { output.queue.isFull(source) }

    override func rejectOutput() { output.rejectAtEnd() }

    override func watchOutput() {
        output.addObserver(self)
        outputChanged()
    }

    override func unwatchOutput() { output.removeObserver(self) }

    /// Fails at once if bytes were lost or the file is closed, also if the source emits no more.
    func outputChanged() {
        if let failure = output.failure { return fail(with: failure) }
        // The waiter behind the last byte was told before.
        if output.isClosed { fail("write", EBADF) }
    }
}

/// Reads once from an open file.
final class FileReadAtSource: LoopSource<ByteChunk> {
    /// Keeps the file open until the end.
    @exclusivity(unchecked) private var file: OpenFile?
    private let path: String
    private let offset: Int64
    private let count: Int
    @exclusivity(unchecked) private var read: ReadOperation?

    init(_ file: OpenFile, offset: Int64, count: Int, downstream: Sink<ByteChunk>) {
        self.file = file
        self.offset = offset
        self.count = count
        path = file.path
        super.init(loop: file.output.loop, downstream: downstream)
    }

    override var subject: String { path }

    override func begin() {
        guard let output = file?.output, let descriptor = output.openDescriptor else { return fail("read", EBADF) }
        // Some kernels read a pipe in spite of an offset.
        if !output.hasPlaces { return fail("read", ESPIPE) }
        // The system rejects a read that would end behind the greatest offset.
        let count = min(count, ByteStorage.mostBytes, Int(Int64.max - offset))
        if count == 0 {
            emit(ByteChunk([]))
            return complete()
        }
        let read = ReadOperation(descriptor, whenFinished: finished)
        self.read = read
        read.read(into: ByteStorage(capacity: count), offset: offset)
    }

    override func end() {
        if let read { loop.cancel(read) }
        read = nil
        let released = file
        file = nil
        withExtendedLifetime(released) {}
    }

    private func finished(_ result: Int32) {
        guard isRunning, let read else { return }
        let storage = read.takeStorage()
        if result == -EINTR { return read.read(into: storage, offset: offset) }
        if result < 0 { return fail("read", -result) }
        emit(ByteChunk(storage, count: Int(result)))
        complete()
    }
}

/// Closes an open file.
final class FileCloseSource: LoopSource<Never>, WriteWaiter {
    private let output: FileOutput

    init(_ output: FileOutput, downstream: Sink<Never>) {
        self.output = output
        super.init(loop: output.loop, downstream: downstream)
    }

    override var subject: String { output.path }

    /// On the subscribing thread, so that what it writes from now on is rejected.
    override func subscribeToInput() { output.rejectWrites() }

    override func begin() { output.close(self) }

    override func end() { output.removeCloseWaiter(self) }

    override func wasDisposedUnbegun() { output.close(nil) }

    override var awaitsOutput: Bool { true }

    override func drain() -> Bool { isRunning }

    func writeEnded(_ error: IOError?) {
        if let error { fail(with: error) } else { complete() }
    }
}

/// Emits whether the writes of an open file have room.
final class FileWritableSource: WritabilitySource {
    private let output: FileOutput

    init(_ output: FileOutput, downstream: Sink<Bool>) {
        self.output = output
        super.init(loop: output.loop, downstream: downstream)
    }

    override var subject: String { output.path }

    override func begin() {
        output.addObserver(self)
        outputChanged()
    }

    override func end() { output.removeObserver(self) }

    override func isFull(_ source: any PausableSource) -> Bool { output.queue.isFull(source) }

    override func outputChanged() {
        if isRunning, output.isClosed { return complete() }
        super.outputChanged()
    }
}
