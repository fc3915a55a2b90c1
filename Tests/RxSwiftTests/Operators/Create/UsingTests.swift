// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct UsingTests {
    private final class Resource: Disposable {
        var disposals = 0
        var log: ((String) -> Void)?

        func dispose() {
            disposals += 1
            log?("resource")
        }
    }

    @Test("The resource is disposed of once, after the terminal event") func order() {
        let log = EventLog()
        let resource = Resource()
        resource.log = { log.note($0) }
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.using(
            { resource }, observableFactory: { _ in subject.do(onDispose: { log.note("source") }) })
        let subscription = log.observe(source)
        subject.onNext(1)
        subject.onCompleted()
        #expect(
            log.lines == ["1", "completed", "resource", "source"]
                || log.lines == ["1", "completed", "source", "resource"])
        subscription.dispose()
        #expect(resource.disposals == 1)
    }

    @Test("Disposal and an error dispose of the resource") func disposal() {
        let first = Resource()
        let subject = PublishSubject<Int>()
        let log = EventLog(Observable<Int>.using({ first }) { _ in subject })
        log.dispose()
        subject.onNext(1)
        #expect(log.lines == [] && first.disposals == 1)
        let second = Resource()
        #expect(events(of: Observable<Int>.using({ second }) { _ in .error(Failure.expected) }) == ["error(expected)"])
        #expect(second.disposals == 1)
    }

    @Test("An error of a factory ends the result and disposes of the resource") func factoriesThrow() {
        let noResource = Observable<Int>.using(
            { () throws -> Resource in throw Failure.expected }, observableFactory: { _ in .never() })
        #expect(events(of: noResource) == ["error(expected)"])
        let resource = Resource()
        #expect(events(of: Observable<Int>.using({ resource }) { _ in throw Failure.other }) == ["error(other)"])
        #expect(resource.disposals == 1)
    }
}
