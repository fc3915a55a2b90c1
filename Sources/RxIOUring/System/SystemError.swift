// SPDX-License-Identifier: Apache-2.0

/// A system call that failed.
struct SystemError: Error, Equatable {
    let code: CInt
    let operation: String

    /// The error of a stream.
    func ioError(subject: String) -> IOError { IOError(code: code, operation: operation, subject: subject) }
}
