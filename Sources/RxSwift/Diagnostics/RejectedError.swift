/// What a binding does with an error, which it has nowhere to deliver to: in debug builds it stops the program, in release builds
/// the error goes to `Hooks.defaultErrorHandler`.
///
/// - Parameters:
///   - error: ended the sequence that was bound.
///   - binding: who rejects it.
@usableFromInline
package func reject(_ error: any Swift.Error, at binding: StaticString) {
    #if DEBUG
        fatalError("\(binding): a binding can't take an error: \(error). Handle it before, for example with catch.")
    #else
        Hooks.handleUnhandledError(error, callStack: [])
    #endif
}

/// The same as a closure for `subscribe`.
@usableFromInline
package func rejection(at binding: StaticString) -> @Sendable (any Swift.Error) -> Void {
    { reject($0, at: binding) }
}
