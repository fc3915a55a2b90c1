// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Sends the number of the subscription, and fails with it; completes instead from the given number on.
package func failing(times: Int) -> Observable<Int> {
    let attempts = AtomicWord(0)
    return .create { observer in
        let number = Int(attempts.fetchAdd(1))
        observer.onNext(number)
        if number < times { observer.onError(NumberedFailure(number)) } else { observer.onCompleted() }
        return Disposables.create()
    }
}
