/// A value that can be observed. Older code's name for a `BehaviorSubject` that cannot fail.
///
/// The sequence completes when the variable is released.
@available(*, deprecated, message: "Use BehaviorSubject, or BehaviorRelay of RxRelay.")
public final class Variable<Element> {
    private let subject: BehaviorSubject<Element>

    /// - Parameter value: the value it has at first.
    public init(_ value: Element) {
        subject = BehaviorSubject(value: value)
    }

    deinit {
        subject.on(.completed)
    }

    /// The current value. Setting it tells all subscribers, also if it is the same. From any thread.
    public var value: Element {
        get {
            // Cannot throw: nobody else can end the subject.
            try! subject.value()
        }
        set { subject.on(.next(newValue)) }
    }

    /// The current value, and then each that is set.
    public func asObservable() -> Observable<Element> { subject }
}
