// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// An error of a test's source.
package enum Failure: Error, Equatable { case expected, other }

/// An error with a number, for tests that compare several errors.
package struct NumberedFailure: Error, Equatable, CustomStringConvertible {
    package let number: Int

    package init(_ number: Int = 0) { self.number = number }

    package var description: String { "\(number)" }
}

/// Elements followed by `completed`, or by an error, all within the subscription.
package func sequence<Element>(_ elements: Element..., error: Failure? = nil) -> Observable<Element> {
    .create { observer in
        elements.forEach(observer.onNext)
        if let error { observer.onError(error) } else { observer.onCompleted() }
        return Disposables.create()
    }
}

/// Elements followed by a numbered error, all within the subscription.
package func failing(_ elements: Int..., with number: Int = 0) -> Observable<Int> {
    .create { observer in
        elements.forEach(observer.onNext)
        observer.onError(NumberedFailure(number))
        return Disposables.create()
    }
}

/// Makes the sequence at each subscription.
package func made<Element>(_ make: @escaping @Sendable () -> Observable<Element>) -> Observable<Element> {
    .create { observer in make().subscribe(observer) }
}
