// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SubjectExamples {
    /// ``PublishSubject``
    @Test func publishSubject() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            first:  ^a--b--c-|
            second: -----^-c-|
            """
        ) { (source: Observable<String>, _) in
            let subject = PublishSubject<String>()
            _ = source.subscribe(subject)
            return subject.asObservable()
        }
    }

    /// ``BehaviorSubject``
    @Test func behaviorSubject() throws {
        try expectPicture(
            """
            source: ----a-----b--|
            first:  (^x)a-----b--|
            second: -----(^a)-b--|
            """
        ) { (source: Observable<String>, _) in
            let subject = BehaviorSubject(value: "x")
            _ = source.subscribe(subject)
            return subject.asObservable()
        }
    }

    /// ``ReplaySubject``
    @Test func replaySubject() throws {
        try expectPicture(
            """
            source: -a-b-c------d-|
            first:  ^a-b-c------d-|
            second: -------(^bc)d-|
            """
        ) { (source: Observable<String>, _) in
            let subject = ReplaySubject<String>.create(bufferSize: 2)
            _ = source.subscribe(subject)
            return subject.asObservable()
        }
    }

    /// ``AsyncSubject``
    @Test func asyncSubject() throws {
        try expectPicture(
            """
            source: -a--b--c-|
            first:  ^--------(c|)
            second: -----^---(c|)
            third:  ------------(^c|)
            """
        ) { (source: Observable<String>, _) in
            let subject = AsyncSubject<String>()
            _ = source.subscribe(subject)
            return subject.asObservable()
        }
    }
}
