// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

/// A file that is held open to be written and read.
///
/// Writes are done one behind the other, in the order in which they were accepted, from any thread. The file stays open until `close`,
/// or until this object is released; then it is closed behind everything that was accepted. When the event loop is shut down, what was
/// accepted is still written, for as long as `shutdown` allows.
///
/// A write that fails ends the writing: waiting and later writes fail with the same error, and the file has all bytes of `write(_:)` and
/// `append(_:)` up to some place and none behind it. Reading is still possible.
public final class OpenFile: @unchecked Sendable, CustomStringConvertible {
    /// The path with which the file was opened, as `File.Path` describes it.
    public let path: String

    /// The event loop that the file lives on. Results come on its thread.
    public let scheduler: IOUringScheduler

    let output: FileOutput

    init(_ opened: FileTarget.Opened, _ path: String, writeLimit: Int, isReadOnly: Bool, scheduler: IOUringScheduler) {
        self.path = path
        self.scheduler = scheduler
        let queue = WriteQueue(path: path, limit: writeLimit)
        if isReadOnly { queue.reject(IOError(code: EBADF, operation: "write", subject: path)) }
        output = FileOutput(opened.descriptor, opened.layout, queue: queue, path: path, loop: scheduler.loop)
    }

    deinit {
        let output = output
        output.loop.perform { output.close(nil) }
    }

    /// The path.
    public var description: String { "OpenFile(\(path))" }

    // MARK: Writing

    /// Writes bytes at the end of the file, behind all writes that were accepted before, at each subscription.
    ///
    /// The end is that of the file when it was opened, or the place behind the last byte that this object has written; in the mode `append`
    /// it is the end at the time of the write, also if other processes write. The bytes are queued before `subscribe` returns. A dispose does not take
    /// them back.
    /// - Returns: completes when the system has the bytes. Fails with an `IOError` (`write`) that names the path and the offset of the first
    ///   byte that was not written: `ENOBUFS` if the bytes do not fit into `writeLimit` beside those that wait (then nothing of them is
    ///   written, and other writes go on), `EBADF` behind `close`, or what the system reports.
    public func write(_ bytes: ByteChunk) -> Completable { writing(bytes, at: nil) }

    /// Writes bytes at an offset, which may be beyond the end, behind all writes that were accepted before. See `write(_:)`.
    ///
    /// Such a write begins when the one before it has ended. Fails with `EINVAL` in the mode `append`, and with `ESPIPE` if the file has no
    /// places, as a pipe or a terminal.
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - offset: the place of the first byte, not negative.
    public func write(_ bytes: ByteChunk, at offset: Int64) -> Completable {
        if offset < 0 { fatalError("OpenFile.write: the offset must not be negative, is \(offset)") }
        return writing(bytes, at: offset)
    }

    private func writing(_ bytes: ByteChunk, at offset: Int64?) -> Completable {
        request(.write(bytes, offset: offset))
    }

    /// Writes the elements of a sequence at the end of the file, and completes behind the last one.
    ///
    /// Each chunk is queued as it arrives. A source that can pause is paused while half of `writeLimit`, or 8 MiB, waits; its chunks are
    /// accepted also beyond `writeLimit`. Of any other source a chunk that does not fit ends the result with `ENOBUFS`, with the
    /// exceptions that `Connection.write(_:)` names. Subscribes to the source on the loop; a dispose ends that subscription, but chunks that were accepted
    /// are still written.
    /// - Returns: fails with the error of the source, or as `write(_:)` does.
    public func write(_ source: Observable<ByteChunk>) -> Completable {
        Completable(raw: scheduler.observable { FileSequenceSource(self, source, downstream: $0) })
    }

    /// Writes bytes at the end of the file without waiting for the outcome. Callable from any thread; never blocks.
    ///
    /// `close` fails if the bytes could not be written, and `IOHooks.sendRejectedHandler` is told.
    /// - Returns: false if the bytes are rejected: see `write(_:)`.
    @discardableResult
    public func append(_ bytes: ByteChunk) -> Bool {
        let result = output.add(WriteQueue.Item(work: .write(bytes, offset: nil), waiter: nil), beyondLimit: .none)
        guard let rejection = result.rejection else { return true }
        if !bytes.isEmpty { IOHooks.reportRejectedSend(rejection, bytes.count) }
        return false
    }

    /// Writes the bytes of a text in UTF-8. See `append(_:)` for bytes.
    @discardableResult
    public func append(_ text: String) -> Bool { append(ByteChunk(text)) }

    /// Puts everything on the disk that was accepted before (`fsync`), at each subscription.
    ///
    /// A pipe, a device or a file of `/proc` has no place on a disk. It is synchronized as soon as it is written.
    /// - Returns: completes when the disk has it. Fails with an `IOError` (`fsync`), which ends the writing: what the disk has is unknown
    ///   then; with the error that has ended the writing before; or with `ENOBUFS` if what waits takes more than `writeLimit` without its bytes.
    public func sync() -> Completable { request(.synchronize) }

    private func request(_ work: WriteQueue.Item.Work) -> Completable {
        Completable(raw: scheduler.observable { FileRequestSource(self, work, downstream: $0) })
    }

    // MARK: Pressure

    /// The number of bytes that were accepted and not written. Out of date as soon as it is read.
    public var queuedBytes: Int { output.queue.queuedBytes }

    /// The memory in bytes that waiting writes may take. A single write may be larger if no other waits.
    ///
    /// A write takes 128 bytes besides its own, 512 if its outcome is waited for.
    public var writeLimit: Int { output.queue.limit }

    /// Whether the disk keeps up: false while half of `writeLimit`, or 8 MiB, waits, until half of that is left.
    ///
    /// Emits the state on subscription, and then each change, on the loop. Writes are accepted in both states, up to `writeLimit`. Completes
    /// when the file is closed, and does not keep it open.
    public var isWritable: Observable<Bool> {
        scheduler.observable { [output] in FileWritableSource(output, downstream: $0) }
    }

    // MARK: Reading

    /// Reads bytes at an offset, at each subscription, if the file is open for reading.
    ///
    /// Does not wait for writes: to read what was written, subscribe when that has completed.
    /// - Parameters:
    ///   - offset: the place of the first byte, not negative.
    ///   - count: the number of bytes, at least 1. The system reads 2,147,479,552 at once, and no more.
    /// - Returns: the bytes, fewer than `count` at the end of the file, none behind it. Fails with an `IOError` (`read`): `EBADF` if the file
    ///   is closed, or not open for reading, `ESPIPE` if it has no places, as a pipe or a terminal.
    public func read(at offset: Int64, count: Int) -> Single<ByteChunk> {
        if offset < 0 { fatalError("OpenFile.read: the offset must not be negative, is \(offset)") }
        if count <= 0 { fatalError("OpenFile.read: the count must be positive, is \(count)") }
        return Single(
            raw: scheduler.observable { FileReadAtSource(self, offset: offset, count: count, downstream: $0) })
    }

    // MARK: Closing

    /// Closes the file behind everything that was accepted, at the subscription.
    ///
    /// Writes are rejected from then on. A dispose does not keep the file open. Further subscriptions get the same result.
    /// - Returns: completes when the file is closed and everything that was accepted is written, behind the outcomes of that. Fails with the error that has ended the
    ///   writing, or with an `IOError` (`close`), as some network file systems report that late that bytes could not be written.
    public func close() -> Completable {
        Completable(raw: scheduler.observable { [output] in FileCloseSource(output, downstream: $0) })
    }
}
