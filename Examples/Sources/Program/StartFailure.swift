import ArgumentParser
import Glibc
import RxIOUring

/// Ends a program that cannot start with a sentence on standard error, and exit code 2.
public enum StartFailure {
    /// Returns the result of `start`, unless it fails with an `IOError`.
    public static func exiting<Result>(_ start: () async throws -> Result) async throws -> Result {
        do {
            return try await start()
        } catch let error as IOError {
            let hint = error.code == EADDRINUSE ? ": another program listens there; --port chooses another port" : ""
            Console.report("\(error)\(hint)")
            throw ExitCode(2)
        }
    }
}
