// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport

extension Laws {
    static let recoverRows: [Row] = [
        Row("catch(_:)", sources: 2) { sources, _, probe in
            sources[0].catch { (_: any Error) -> Observable<Int> in
                try probe.visit("handler")
                return sources[1]
            }
        },
        Row("catch(_:)", "one", keeps: .everything) { source, probe in
            source.catch { (error: any Error) -> Observable<Int> in
                try probe.visit("handler")
                throw error
            }
        },
        Row("catchAndReturn(_:)", keeps: .everything, passesErrors: false) { source, _ in source.catchAndReturn(0) },
        Row("catch(sequence:)", sources: 2) { sources, _, _ in .catch(sequence: sources) },
        Row("retry()", keeps: .everything, passesErrors: false, chains: false) { source, _ in
            Laws.failingTwice(source).retry()
        },
        Row("retry(_:)", keeps: .everything, passesErrors: false, chains: false) { source, _ in source.retry(3) },
        Row("retry(_:)", "once", keeps: .everything) { source, _ in source.retry(1) },
        Row("retry(when:)", keeps: .everything, errorWeight: 3) { source, probe in
            source.retry { (errors: Observable<any Error>) -> Observable<Int> in
                errors.flatMap { (error: any Error) -> Observable<Int> in
                    try probe.visit("trigger")
                    return .error(error)
                }
            }
        },
        Row("retry(when:)", "again", keeps: .everything, passesErrors: false, chains: false) { source, probe in
            source.retry { (errors: Observable<any Error>) -> Observable<Int> in
                probe.note("notificationHandler")
                return errors.map { _ in 0 }.take(2)
            }
        },
        Row("retry(when:)", "typed", keeps: .everything, passesErrors: false, chains: false) { source, _ in
            Laws.failingTwice(source).retry { (errors: Observable<LawError>) in errors }
        },
        Row("retry(when:)", "trigger", sources: 2) { sources, _, _ in
            sources[0].retry { (errors: Observable<any Error>) -> Observable<Int> in
                errors.flatMap { (_: any Error) -> Observable<Int> in sources[1].take(1) }
            }
        },
    ]

    /// The source, and after its second subscription an empty one: retrying a subject that failed would never end.
    private static func failingTwice(_ source: Observable<Int>) -> Observable<Int> {
        let subscriptions = AtomicWord(0)
        return .deferred { subscriptions.fetchAdd(1) < 2 ? source : .empty() }
    }
}
