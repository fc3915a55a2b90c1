// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Remembers that an object was disposed of: false at first, then true for ever. Any thread may use it.
@usableFromInline
package struct DisposalFlag: ~Copyable {
    private let word = AtomicWord(0)

    @usableFromInline
    package init() {}

    package var isDisposed: Bool { word.loadRelaxed() != 0 }

    /// Returns true to the first caller only.
    package func dispose() -> Bool { word.exchange(1) == 0 }
}
