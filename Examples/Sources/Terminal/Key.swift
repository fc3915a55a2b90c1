// SPDX-License-Identifier: Apache-2.0

/// A key that a terminal reports.
public enum Key: Hashable, Sendable {
    case character(Character)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter, in lower case, with Ctrl held down.
    case control(Character)

    /// Ctrl-C.
    public static let interrupt = Key.control("c")
    /// Ctrl-Z.
    public static let suspend = Key.control("z")
}
