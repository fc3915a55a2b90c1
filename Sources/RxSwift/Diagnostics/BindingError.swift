// SPDX-License-Identifier: Apache-2.0

/// Rejects an error, which a binding has nowhere to deliver to.
///
/// In debug builds this stops the program, in release builds the error goes to `Hooks.defaultErrorHandler`.
/// - Parameters:
///   - error: ended the sequence that was bound.
///   - binding: the name of the binding that rejects it.
@usableFromInline
package func reject(_ error: any Swift.Error, at binding: StaticString) {
    #if DEBUG
        fatalError("\(binding): a binding can't take an error: \(error). Handle it before, for example with catch.")
    #else
        Hooks.handleUnhandledError(error, callStack: [])
    #endif
}

/// Returns a closure for `subscribe` that rejects its error.
@usableFromInline
package func rejection(at binding: StaticString) -> @Sendable (any Swift.Error) -> Void {
    { reject($0, at: binding) }
}
