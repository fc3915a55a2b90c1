public import Foundation
public import RxSwift

/// A sequence whose events are waited for on the calling thread. For tests and command-line tools.
public struct BlockingObservable<Element> {
    let timeout: TimeInterval?
    let source: Observable<Element>
}
