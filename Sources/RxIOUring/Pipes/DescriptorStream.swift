import CRxIOUring
import Glibc

/// Descriptors that are open already, as observables: standard input and output, pipes, FIFOs, terminals, sockets, files.
///
/// The flags of the open file (`O_NONBLOCK`) stay as they are: it may be shared with other processes. Streams fail when their
/// event loop is shut down: see `IOError.code` before you `retry`.
public enum DescriptorStream {
    /// How much is read at once, unless told otherwise: 64 KiB, what a pipe holds.
    public static let defaultChunkSize = 64 * 1024

    /// Makes a pipe. Both ends are closed in programs that are run, and block those who read and write them directly.
    ///
    /// - Parameter capacity: bytes that fit in, rounded up to a page; nil: what the system thinks right.
    /// - Returns: two descriptors, to be closed by the caller, or to be handed to `read` and `write` with `closesWhenDone`.
    /// - Throws: an `IOError` (`pipe2`).
    public static func makePipe(capacity: Int? = nil) throws -> (readEnd: CInt, writeEnd: CInt) {
        var ends: (readEnd: CInt, writeEnd: CInt) = (-1, -1)
        let error = rx_pipe(&ends.readEnd, &ends.writeEnd, CInt(clamping: capacity ?? 0))
        if error != 0 { throw IOError(code: error, operation: "pipe2", subject: "pipe") }
        return ends
    }
}

/// A descriptor of the user's between the subscription and its begin on the loop.
struct BorrowedDescriptor: ~Copyable {
    /// Of which errors speak.
    let subject: String
    private var held: OwnedDescriptor?
    /// Why there is none.
    private(set) var error: CInt = 0

    /// - Parameter isTaken: whether it is closed after use; else its open file is used under another number.
    init(_ number: CInt, isTaken: Bool) {
        subject = "descriptor \(number)"
        held = isTaken ? OwnedDescriptor(number) : OwnedDescriptor.duplicate(of: number, error: &error)
    }

    /// Opens it on the loop, once. Nil if there is an error.
    mutating func open(on loop: EventLoop) -> Descriptor? {
        guard var number = held.take()?.take() else { return nil }
        // A terminal has room for a byte when it says that it can be written to, but maybe not for what is written.
        if isatty(number) == 1 { number = rx_reopen_nonblocking(number) }
        var status = stat()
        if fstat(number, &status) != 0 { error = errno }
        let kind = status.st_mode & S_IFMT
        let descriptor = Descriptor(number, on: loop, blocking: kind == S_IFREG || kind == S_IFBLK ? .disk : .shared)
        return error == 0 ? descriptor : nil
    }
}
