// SPDX-License-Identifier: Apache-2.0

/// A sequence that is an observer too.
public protocol SubjectType<Element>: ObservableType {
    /// The type of the observer that this subject is.
    associatedtype Observer: ObserverType

    /// Returns the observer side of the subject.
    func asObserver() -> Observer
}

/// A subject that passes its events to a core. A caller that knows the core spares the events the way through `Event` values.
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
