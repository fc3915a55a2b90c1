// SPDX-License-Identifier: Apache-2.0

/// A value that can be observed. Older code's name for a `BehaviorSubject` that cannot fail.
///
/// The sequence completes when the variable is released.
@available(*, deprecated, message: "Use BehaviorSubject, or BehaviorRelay of RxRelay.")
public final class Variable<Element>: @unchecked Sendable {
    private let subject: BehaviorSubject<Element>

    /// Creates a variable with its first value.
    ///
    /// - Parameter value: the value it has at first.
    public init(_ value: Element) {
        subject = BehaviorSubject(value: value)
    }

    deinit {
        subject.on(.completed)
    }

    /// The current value. Setting it tells all subscribers, also if it is the same. May be used from any thread.
    public var value: Element {
        get {
            // Cannot throw: no other code can end the subject.
            try! subject.value()
        }
        set { subject.on(.next(newValue)) }
    }

    /// Returns a sequence of the current value and then of each value that is set.
    public func asObservable() -> Observable<Element> { subject }
}
