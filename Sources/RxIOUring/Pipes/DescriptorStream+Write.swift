// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension DescriptorStream {
    /// Writes chunks to a descriptor, one after another, each of them whole.
    ///
    /// Chunks wait in memory while the other side does not read. A source that can pause is paused while a megabyte waits, and another one on the
    /// way to the loop: a pair of reader and writer of any length needs little memory. Other sources cannot be slowed down;
    /// `Hooks.backlogHandler` is told how many chunks wait.
    /// - Parameters:
    ///   - chunks: subscribed to at once, on the subscribing thread.
    ///   - descriptor: open for writing. It is in use from the subscription on, which duplicates it, so that it may be closed
    ///     then.
    ///   - closesWhenDone: whether the descriptor is taken over and closed, after the terminal event or a dispose. Then there
    ///     can be one subscription; the next one fails with `EBUSY`, and does not touch the descriptor.
    ///   - scheduler: the event loop that writes, and on whose thread the end is told.
    /// - Returns: completes when everything is written. Fails with an error of `chunks` when the chunks before it are written,
    ///   or with an `IOError` (`dup`, `take over`, `fstat`, `write`): `EPIPE` if there is no reader any more. The signal SIGPIPE is not
    ///   raised.
    public static func write(
        _ chunks: Observable<ByteChunk>, to descriptor: CInt, closesWhenDone: Bool = false, scheduler: IOUringScheduler
    ) -> Completable {
        let ownership = closesWhenDone ? DescriptorOwnership() : nil
        let written: Observable<Never> = scheduler.observable {
            DescriptorWriteSource(
                chunks, to: BorrowedDescriptor(descriptor, taking: ownership), scheduler: scheduler, downstream: $0)
        }
        return written.asCompletable()
    }
}

private final class DescriptorWriteSource: LoopSource<Never> {
    @exclusivity(unchecked) private var borrowed: BorrowedDescriptor
    private let writer: DescriptorWriter

    init(
        _ chunks: Observable<ByteChunk>, to borrowed: consuming BorrowedDescriptor, scheduler: IOUringScheduler,
        downstream: Sink<Never>
    ) {
        self.borrowed = borrowed
        writer = DescriptorWriter(chunks, scheduler: scheduler)
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String { borrowed.subject }

    override func subscribeToInput() { writer.subscribe() }

    override func wasStopped() { writer.unsubscribe() }

    override func begin() {
        do throws(IOError) {
            // Holds this source until `end` closes it.
            writer.start(try borrowed.open(on: loop), receive: received)
        } catch {
            fail(with: error)
        }
    }

    override func end() { writer.close() }

    private func received(_ outcome: DescriptorWriter.Outcome) {
        switch outcome {
        case .end: complete()
        case .failure(let code): fail("write", code)
        case .error(let error): fail(with: error)
        }
    }
}
