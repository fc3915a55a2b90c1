// SPDX-License-Identifier: Apache-2.0

/// Checks in debug builds that sources keep the grammar (law L1). A violation does no harm; it is reported.
@usableFromInline
package enum Contract {
    /// Notes an event that reached a stage which has ended.
    @usableFromInline
    package static func eventDropped(_ isTerminal: Bool, at operatorName: StaticString, cancelled: Bool) {
        #if DEBUG
            // After a dispose a source may well be a little late; after a terminal event it has no excuse.
            if !cancelled {
                Hooks.contractViolationHandler(
                    "\(operatorName): a source emitted \(isTerminal ? "a second terminal event" : "an element") after its terminal event; it was ignored"
                )
            }
        #endif
    }
}
