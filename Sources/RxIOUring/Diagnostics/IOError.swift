// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An operation on a file, a socket or the like has failed: tells the system's error number, the operation and its subject.
public struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's error number, `ENOENT` and the like. Negative for errors of the name resolver, `EAI_NONAME` and the like.
    ///
    /// `ECANCELED` when the event loop was shut down; if that was before the subscription, the error comes on a thread of the
    /// library's (on the calling thread if the system has had no thread for a second). Trying again is useless then: `retry()` without a limit continues for ever, and occupies a processor, until it
    /// is disposed of. To end with the loop, stop at this code:
    ///
    ///     stream.retry { (errors: Observable<IOError>) in
    ///         errors.flatMap { $0.code == ECANCELED ? Observable.error($0) : .just($0) }
    ///     }
    public let code: CInt

    /// The failed operation: the name of the system call, or of its closest equivalent.
    ///
    /// The equivalents are `address` (the text is no address), `resolve`, `split into lines`, `split into frames`, `idle timeout`, `quiesce`, `adopt`, `inherit`, `take over`, `output`, `frame`, `read inotify`, `event loop shut down`.
    public let operation: String

    /// The operation's object: a path, an address, a number of a signal.
    public let subject: String

    /// Creates an error, for tests and the like.
    public init(code: CInt, operation: String, subject: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
    }

    /// The system's message for the error number.
    public var message: String { code < 0 ? String(cString: gai_strerror(code)) : String(cString: strerror(code)) }

    /// The operation, its object, and the system's message.
    public var description: String { "\(operation) \(subject): \(message) (errno \(code))" }
}
