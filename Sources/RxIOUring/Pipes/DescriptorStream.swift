// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Descriptors that are open already, as observables: standard input and output, pipes, FIFOs, terminals, sockets, files.
///
/// The flags of the open file (`O_NONBLOCK`) stay as they are: it may be shared with other processes. Streams fail when their
/// event loop is shut down: see `IOError.code` before you `retry`.
public enum DescriptorStream {
    /// The number of bytes read at once by default: 64 KiB, the capacity of a pipe.
    public static let defaultChunkSize = 64 * 1024

    /// Makes a pipe, with close-on-exec. Both ends block callers that read and write them directly.
    ///
    /// - Parameter capacity: bytes that fit in, rounded up to a page; nil for the system's default.
    /// - Returns: two descriptors, to be closed by the caller, or to be passed to `read` and `write` with `closesWhenDone`.
    /// - Throws: an `IOError` (`pipe2`).
    public static func makePipe(capacity: Int? = nil) throws -> (readEnd: CInt, writeEnd: CInt) {
        var ends: (readEnd: CInt, writeEnd: CInt) = (-1, -1)
        let error = rx_pipe(&ends.readEnd, &ends.writeEnd, CInt(clamping: capacity ?? 0))
        if error != 0 { throw IOError(code: error, operation: "pipe2", subject: "pipe") }
        return ends
    }
}

/// A user's descriptor between the subscription and its begin on the loop.
struct BorrowedDescriptor: ~Copyable {
    /// The name of the descriptor in errors.
    let subject: String
    private var held: OwnedDescriptor?
    private var error: IOError?

    /// - Parameter ownership: nil if a duplicate of the descriptor is used; otherwise the descriptor is taken over, and closed after use.
    init(_ fd: CInt, taking ownership: DescriptorOwnership?) {
        subject = BorrowedDescriptor.subject(of: fd)
        if let ownership {
            if ownership.take() {
                held = OwnedDescriptor(fd)
            } else {
                error = IOError(code: EBUSY, operation: "take over", subject: subject)
            }
        } else {
            var code: CInt = 0
            held = OwnedDescriptor.duplicate(of: fd, error: &code)
            if code != 0 { error = IOError(code: code, operation: "dup", subject: subject) }
        }
    }

    static func subject(of fd: CInt) -> String { "descriptor \(fd)" }

    /// Opens the descriptor on the loop, once.
    mutating func open(on loop: EventLoop) throws(IOError) -> Descriptor {
        if let error { throw error }
        let given = held.take()!
        var status = stat()
        if fstat(given.fd, &status) != 0 { throw IOError(code: errno, operation: "fstat", subject: subject) }
        // Others may read or write here, too, and a descriptor that was ready may make this loop wait. A terminal that reports to be writable has
        // room for a byte, but maybe not for the whole chunk.
        let reopened = rx_reopen_nonblocking(given.fd)
        if reopened >= 0 { return Descriptor(reopened, on: loop) }
        let blocking: Operation.Blocking =
            switch status.st_mode & S_IFMT {
            case S_IFREG, S_IFBLK: .disk
            default: rx_can_be_told(given.fd) ? .shared : .sharedAndWaiting
            }
        return Descriptor(given.take(), on: loop, blocking: blocking)
    }
}
