// SPDX-License-Identifier: Apache-2.0

/// A namespace for extensions of other types, so that they don't mix with the types' own members: `view.rx.text`.
///
/// Extend it for the types you have:
///
/// ```swift
/// extension Reactive where Base: Player {
///     var position: Observable<Double> { ... }
/// }
/// ```
///
/// For a class each writable property `x` can be had as an observer, `object.rx.x`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The value that is being extended.
    public let base: Base

    /// Creates the extensions of a value.
    ///
    /// - Parameter base: the value that is being extended.
    public init(_ base: Base) {
        self.base = base
    }
}

/// A type with extensions under `rx`.
public protocol ReactiveCompatible {
    /// The type which the extensions are written for.
    associatedtype ReactiveBase

    /// Gives access to the extensions of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// Gives access to the extensions of the value.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// Gives access to the extensions of the type. Setting does nothing; it lets extensions have setters of their own.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    /// Gives access to the extensions of the value. Setting does nothing; it lets extensions have setters of their own.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
