// SPDX-License-Identifier: Apache-2.0

/// Room between words that different threads write, so that no cache line holds both.
///
/// A line that two cores write in turns goes back and forth between them, which takes 50 to 150 ns each time on a server
/// processor. A whole line lies between, wherever in a line the words around it begin.
@frozen
@usableFromInline
package struct CachePadding {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    @usableFromInline
    package init() {}
}
