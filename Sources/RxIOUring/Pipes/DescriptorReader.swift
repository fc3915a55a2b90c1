// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Reads from a descriptor until its end, into a pool's memory. Used on the loop thread only.
final class DescriptorReader {
    enum Outcome {
        case chunk(ByteChunk)
        case end
        case failure(CInt)
    }

    private let descriptor: Descriptor
    private let pool: BytePool
    private let loop: EventLoop
    /// Asks whether to read on; nil from `close` on.
    @exclusivity(unchecked) private var mustPause: (() -> Bool)?
    /// The operation; nil from `close` on. It holds this reader until the kernel has completed it.
    @exclusivity(unchecked) private var operation: ReadOperation?
    @exclusivity(unchecked) private var receive: ((Outcome) -> Void)?
    /// Called once the bytes were received that were in the pipe at the time of `drain`.
    @exclusivity(unchecked) private var whenDrained: (() -> Void)?
    /// The number of these bytes that are left; nil while a read that began earlier is in flight.
    @exclusivity(unchecked) private var undrained: Int?

    /// - Parameters:
    ///   - mustPause: held until `close`. Called before each read: true if there is none until the next call of `read`.
    ///   - receive: held until `close`. Receives chunks, and then the end or a failure, after which it closes.
    init(
        _ descriptor: Descriptor, pool: BytePool, on loop: EventLoop, mustPause: @escaping () -> Bool,
        receive: @escaping (Outcome) -> Void
    ) {
        self.descriptor = descriptor
        self.pool = pool
        self.loop = loop
        self.receive = receive
        self.mustPause = mustPause
        operation = ReadOperation(descriptor, whenFinished: finished)
    }

    /// Submits the next read, unless one is in flight. To be called once to begin with, and again after each pause.
    func read() {
        guard let operation, !operation.isInFlight, let mustPause, !mustPause() else { return }
        operation.read(into: pool.take(), offset: -1)
    }

    /// Reads the bytes that are in the pipe now, then calls `whenDrained`, which is held until then or until `close`, and reads on.
    ///
    /// Other processes may go on writing: what they write from now on is not waited for.
    func drain(_ whenDrained: @escaping () -> Void) {
        guard let operation else { return }
        self.whenDrained = whenDrained
        // A read in flight may have taken bytes from the pipe.
        if operation.isInFlight { loop.cancel(operation) } else { measure() }
    }

    /// True once `drain` has called its argument.
    @exclusivity(unchecked) private(set) var isDrained = false

    private func measure() {
        undrained = Int(rx_readable_bytes(descriptor.fd))
        drained(0)
    }

    private func drained(_ count: Int) {
        guard let left = undrained, let whenDrained else { return }
        undrained = left - count
        if left > count { return }
        self.whenDrained = nil
        isDrained = true
        whenDrained()
    }

    /// Releases `receive` without calling it again, and closes the descriptor as soon as the kernel has released that.
    func close() {
        if let operation { loop.cancel(operation) }
        operation = nil
        receive = nil
        mustPause = nil
        whenDrained = nil
        descriptor.close()
    }

    private func finished(_ result: Int32) {
        guard let operation, let receive else { return }
        let storage = operation.takeStorage()
        let isMeasured = whenDrained == nil || undrained != nil
        if result < 0, result != -EINTR, isMeasured || result != -ECANCELED { return receive(.failure(-result)) }
        if result == 0 { return receive(.end) }
        if result > 0 { receive(.chunk(pool.chunk(storage, count: Int(result)))) }
        // The receiver may have closed.
        if self.operation == nil { return }
        if isMeasured { drained(Int(max(0, result))) } else { measure() }
        read()
    }
}
