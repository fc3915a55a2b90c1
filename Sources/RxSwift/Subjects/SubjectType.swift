/// A sequence that is an observer too.
public protocol SubjectType<Element>: ObservableType {
    /// The type of the observer that this subject is.
    associatedtype Observer: ObserverType

    /// The subject's observer side.
    func asObserver() -> Observer
}

/// A subject that hands its events to a core: who knows of the core spares the events' way through values of them.
package protocol SubjectWithCore: AnyObject {
    /// A `SubjectCore` of the subject's elements.
    var listCore: SubjectListCore { get }
}

extension PublishSubject: SubjectWithCore {
    package var listCore: SubjectListCore { core }
}

extension BehaviorSubject: SubjectWithCore {
    package var listCore: SubjectListCore { core }
}

extension ReplaySubject: SubjectWithCore {
    package var listCore: SubjectListCore { core }
}
