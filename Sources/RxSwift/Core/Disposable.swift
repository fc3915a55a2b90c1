// SPDX-License-Identifier: Apache-2.0

/// Something that can be ended early: a subscription, a scheduled action, a resource.
///
/// In Swift 6 mode, a class that conforms is final and has no mutable state, or is `@unchecked Sendable`.
@preconcurrency public protocol Disposable: Sendable {
    /// Ends the subscription, action or resource. May be called from any thread, also from inside a callback, and any number of times.
    func dispose()
}

/// A disposable that tells whether it was disposed of.
public protocol Cancelable: Disposable {
    /// True if `dispose()` was called, or if the subscription, action or resource has ended.
    var isDisposed: Bool { get }
}

/// A disposable that has nothing to dispose of.
struct EmptyDisposable: Disposable {
    static let instance = EmptyDisposable()

    func dispose() {}
}
