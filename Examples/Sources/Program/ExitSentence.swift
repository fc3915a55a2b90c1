// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import RxIOUring

/// Ends a program that cannot do its work with a sentence on standard error, and exit code 2.
public enum ExitSentence {
    /// Returns the result of `work`, unless it fails with an `IOError`.
    public static func exiting<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as IOError {
            let hint = error.code == EADDRINUSE ? ": another program listens there; --port chooses another port" : ""
            Console.report("\(error)\(hint)")
            throw ExitCode(2)
        }
    }
}
