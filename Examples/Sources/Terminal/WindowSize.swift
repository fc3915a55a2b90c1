// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The size of a terminal's window, in characters: at least 1 by 1.
public struct WindowSize: Equatable, Sendable {
    public var rows: Int
    public var columns: Int

    public init(rows: Int, columns: Int) {
        self.rows = max(1, rows)
        self.columns = max(1, columns)
    }

    /// The size of a terminal, or 24 by 80 if it does not know.
    init(of terminal: CInt) {
        var size = winsize()
        if ioctl(terminal, UInt(TIOCGWINSZ), &size) != 0 || size.ws_row == 0 || size.ws_col == 0 {
            self.init(rows: 24, columns: 80)
        } else {
            self.init(rows: Int(size.ws_row), columns: Int(size.ws_col))
        }
    }
}
