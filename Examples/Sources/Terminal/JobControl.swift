// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The part that a program plays when a shell stops, continues and moves it between foreground and background.
enum JobControl {
    /// Stops the process, as Ctrl-Z does, and returns when the shell has continued it.
    static func stop() {
        admitting(SIGTSTP) { _ = raise(SIGTSTP) }
    }

    /// Runs code whose thread takes a signal that threads of Dispatch block.
    static func admitting<Result>(_ signal: CInt, _ body: () throws -> Result) rethrows -> Result {
        var signals = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        return try body()
    }
}
