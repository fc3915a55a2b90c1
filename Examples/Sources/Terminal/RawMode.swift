// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal's settings, to be restored when a program has read keys one by one.
struct RawMode: Sendable {
    private let terminal: CInt
    private let original: termios

    /// Remembers the settings, and turns off echo, line editing and the keys that send signals.
    init(_ terminal: CInt) throws {
        self.terminal = terminal
        var settings = termios()
        if tcgetattr(terminal, &settings) != 0 { throw TerminalError.system("tcgetattr", errno) }
        original = settings
        cfmakeraw(&settings)
        // cfmakeraw stops the translation of line ends in the output, which other programs may be writing.
        settings.c_oflag = original.c_oflag
        // In the background this stops the process, until it is in the foreground.
        let result = JobControl.admitting(SIGTTOU) { tcsetattr(terminal, TCSANOW, &settings) }
        if result != 0 { throw TerminalError.system("tcsetattr", errno) }
    }

    /// Restores the settings.
    func restore() {
        var settings = original
        tcsetattr(terminal, TCSANOW, &settings)
    }

    /// Drops what was typed and not read: a shell would take the rest of a paste for commands.
    static func discardInput(_ terminal: CInt) { tcflush(terminal, TCIFLUSH) }
}

/// The reason for which a program cannot use its terminal.
public enum TerminalError: Error, Equatable, CustomStringConvertible {
    case notATerminal(String)
    case system(String, CInt)

    public var description: String {
        switch self {
        case .notATerminal(let name): "\(name) is not a terminal; this program needs one to read keys and to draw on."
        case .system(let call, let code): "\(call) failed on the terminal: \(String(cString: strerror(code)))"
        }
    }
}
