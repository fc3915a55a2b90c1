/// A sequence that is an observer too.
public protocol SubjectType<Element>: ObservableType {
    /// The type of the observer that this subject is.
    associatedtype Observer: ObserverType

    /// The subject's observer side.
    func asObserver() -> Observer
}
