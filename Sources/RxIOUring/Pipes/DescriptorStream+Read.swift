// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxSwift

extension DescriptorStream {
    /// The bytes that can be read from a descriptor, in chunks.
    ///
    /// They end when the other side has closed the descriptor, or with the file. A datagram socket has no such end: use `UDP`, as an empty datagram ends
    /// the bytes here, and one larger than `chunkSize` is cut. While a stage below pauses the source, nothing is read,
    /// and the end is not seen either: see `File.read`. Bytes read ahead are lost when the subscription is disposed of, as with any reader of a pipe. Two simultaneous
    /// subscriptions share the input, each chunk going to one of them.
    /// - Parameters:
    ///   - descriptor: open for reading. It is in use from the subscription on, which duplicates it, so that it may be closed
    ///     then.
    ///   - closesWhenDone: whether the sequence takes the descriptor over and closes it, after the terminal event or a dispose.
    ///     Then there can be one subscription; the next one fails with `EBUSY`, and does not touch the descriptor.
    ///   - chunkSize: the most bytes per chunk, at least 1. Smaller pieces are emitted as they arrive.
    ///   - window: the number of chunks whose memory is kept for reuse, at least 1.
    ///   - scheduler: the event loop that reads, and on whose thread chunks are emitted.
    /// - Returns: chunks, none of them empty. Fails with an `IOError` (`dup`, `take over`, `fstat`, `read`): `EIO` if it is a terminal in whose background
    ///   the program runs, or the master of a pseudo terminal that no process has open any more.
    public static func read(
        _ descriptor: CInt, closesWhenDone: Bool = false, chunkSize: Int = defaultChunkSize, window: Int = 2,
        scheduler: IOUringScheduler
    ) -> Observable<ByteChunk> {
        if chunkSize <= 0 { fatalError("DescriptorStream.read: the chunk size has to be positive, is \(chunkSize)") }
        if window <= 0 { fatalError("DescriptorStream.read: the window has to be at least 1, is \(window)") }
        let ownership = closesWhenDone ? DescriptorOwnership() : nil
        return scheduler.observable(of: BorrowedDescriptor.subject(of: descriptor)) {
            DescriptorReadSource(
                BorrowedDescriptor(descriptor, taking: ownership),
                pool: BytePool(size: chunkSize, window: window), loop: scheduler.loop, downstream: $0)
        }
    }
}

private final class DescriptorReadSource: ChunkSource {
    @exclusivity(unchecked) private var borrowed: BorrowedDescriptor
    private let pool: BytePool
    @exclusivity(unchecked) private var reader: DescriptorReader?

    init(_ borrowed: consuming BorrowedDescriptor, pool: BytePool, loop: EventLoop, downstream: Sink<ByteChunk>) {
        self.borrowed = borrowed
        self.pool = pool
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { borrowed.subject }

    override func begin() {
        do throws(IOError) {
            // Holds this source until `end` closes it.
            reader = DescriptorReader(
                try borrowed.open(on: loop), pool: pool, on: loop, mustPause: { [self] in !mayRead() },
                receive: received)
            reader?.read()
        } catch {
            fail(with: error)
        }
    }

    override func read() { reader?.read() }

    override func end() {
        reader?.close()
        reader = nil
    }

    private func received(_ outcome: DescriptorReader.Outcome) {
        switch outcome {
        case .chunk(let chunk): deliver(chunk)
        case .end: complete()
        case .failure(let code): fail("read", code)
        }
    }
}
