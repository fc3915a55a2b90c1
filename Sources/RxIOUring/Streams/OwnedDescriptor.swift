import CRxIOUring
import Glibc

/// An open file descriptor that nobody operates on yet, closed when it goes.
struct OwnedDescriptor: ~Copyable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    /// Another number for the same open file, closed in programs that are run. Nil, and an errno, if there is none.
    static func duplicate(of number: CInt, error: inout CInt) -> OwnedDescriptor? {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if copy >= 0 { return OwnedDescriptor(copy) }
        error = errno
        return nil
    }

    /// Hands it over.
    consuming func take() -> CInt {
        let number = number
        discard self
        return number
    }

    deinit { _ = Glibc.close(number) }
}
