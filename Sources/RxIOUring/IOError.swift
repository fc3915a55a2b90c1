import Glibc

/// Why an operation on a file, a socket or the like failed: the system's error number, what was tried, and on what.
public struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's error number, `ENOENT` and the like. Negative for what the resolver of names reports, `EAI_NONAME` and the
    /// like.
    ///
    /// `ECANCELED` when the event loop was shut down, on a thread of the system's if that was before the subscription. There
    /// is no use in trying again then: `retry()` without a limit goes on for ever, and takes a processor, until it is
    /// disposed of. To end with the loop, stop at this code:
    ///
    ///     stream.retry { (errors: Observable<IOError>) in
    ///         errors.flatMap { $0.code == ECANCELED ? Observable.error($0) : .just($0) }
    ///     }
    public let code: CInt

    /// What was tried: the name of the system call, or of what is closest to it (`address` for one that makes no sense, `resolve`,
    /// `split into lines`, `output`, `event loop shut down`).
    public let operation: String

    /// On what: a path, an address, a number of a signal.
    public let subject: String

    /// An error of one's own making, for tests and the like.
    public init(code: CInt, operation: String, subject: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
    }

    /// The system's words for the error number.
    public var message: String { code < 0 ? String(cString: gai_strerror(code)) : String(cString: strerror(code)) }

    /// What was tried, on what, and the system's words.
    public var description: String { "\(operation) \(subject): \(message) (errno \(code))" }
}
