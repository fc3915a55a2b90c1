// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct RecoverExamples {
    /// ``ObservableType/catch(_:)``
    @Test func catchError() throws {
        try expectPicture(
            """
            source: -a--b--#
            other:  -1--2-|
            result: -a--b---1--2-|
            """
        ) { (source: Observable<String>, other: Observable<String>, _) in
            source.catch { _ in other }
        }
    }

    /// ``ObservableType/catchAndReturn(_:)``
    @Test func catchAndReturn() throws {
        try expectPicture(
            """
            source: -a--b--#
            result: -a--b--(x|)
            """
        ) { (source: Observable<String>, _) in
            source.catchAndReturn("x")
        }
    }

    /// ``ObservableType/catch(sequence:)``
    @Test func catchSequence() throws {
        try expectPicture(
            """
            first:  -a-#
            second: -1-2-|
            third:  -x-y-|
            result: -a--1-2-|
            """
        ) { (first: Observable<String>, second: Observable<String>, third: Observable<String>, _) in
            Observable.catch(sequence: [first, second, third])
        }
    }

    /// ``ObservableType/retry()``
    @Test func retryEndlessly() throws {
        try expectPicture(
            """
            source: -a-b-#
            result: -a-b--a-b--(a|)
            """
        ) { (source: Observable<String>, _) in
            source.retry().take(5)
        }
    }

    /// ``ObservableType/retry(_:)``
    @Test func retry() throws {
        try expectPicture(
            """
            source: -a-b-#
            result: -a-b--a-b-#
            """
        ) { (source: Observable<String>, _) in
            source.retry(2)
        }
    }

    /// ``ObservableType/retry(when:)``
    @Test func retryWhen() throws {
        try expectPicture(
            """
            source: -a-#
            result: -a-----a-------a-#
            """
        ) { (source: Observable<String>, scheduler) in
            source.retry(when: { errors in
                errors.enumerated().flatMap { attempt, error in
                    attempt < 2
                        ? Observable<Int>.timer(.seconds(3 + 2 * attempt), scheduler: scheduler) : .error(error)
                }
            })
        }
    }
}
