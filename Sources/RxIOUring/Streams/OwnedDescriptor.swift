import CRxIOUring
import Glibc

/// An open file descriptor without operations so far; its deinit closes it.
struct OwnedDescriptor: ~Copyable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    /// Duplicates a descriptor, with close-on-exec. Returns nil and sets `error` to an errno if that fails.
    static func duplicate(of number: CInt, error: inout CInt) -> OwnedDescriptor? {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if copy >= 0 { return OwnedDescriptor(copy) }
        error = errno
        return nil
    }

    /// Gives up ownership of the descriptor, and returns its number.
    consuming func take() -> CInt {
        let number = number
        discard self
        return number
    }

    deinit { _ = Glibc.close(number) }
}
