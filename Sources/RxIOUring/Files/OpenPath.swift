// SPDX-License-Identifier: Apache-2.0

extension String {
    /// True if C would take the text for a shorter one.
    var containsNUL: Bool { utf8.contains(0) }
}
