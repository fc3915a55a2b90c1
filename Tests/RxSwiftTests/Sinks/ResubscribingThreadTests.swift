// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

/// A source that ends on another thread while `subscribe` is still inside it.
@Suite struct ResubscribingThreadTests {
    enum Operator: CaseIterable, Sendable {
        case concat, concatOfArray, catchSequence, retry, retryWhen, completableConcat

        func chain(_ first: Observable<Int>, _ next: Observable<Int>) -> Observable<Int> {
            let isFirst = Guarded(true)
            let sources = Observable<Int>.deferred {
                defer { isFirst.value = false }
                return isFirst.value ? first : next
            }
            switch self {
            case .concat: return first.concat(next)
            case .concatOfArray: return Observable.concat([first, next])
            case .catchSequence: return Observable.catch(sequence: [first, next])
            case .retry: return sources.retry()
            case .retryWhen: return sources.retry(when: { $0.map { _ in } })
            case .completableConcat:
                return Completable.concat([
                    first.ignoreElements().asCompletable(), next.ignoreElements().asCompletable(),
                ])
                .asObservable().map { _ in 0 }
            }
        }

        var fails: Bool { self == .catchSequence || self == .retry || self == .retryWhen }
    }

    /// Ends on a thread of its own, and returns from `subscribe` only when `mayReturn` has fired.
    private func first(fails: Bool, _ mayReturn: OneShot) -> Observable<Int> {
        .create { observer in
            Thread.detachNewThread {
                if fails { observer.onError(TestError.e1) } else { observer.onCompleted() }
            }
            #expect(mayReturn.wait(seconds: 10))
            return Disposables.create()
        }
    }

    /// The fault: it was subscribed to by the thread inside `subscribe`, when the first source let go of that.
    @Test("The next source begins where the one before has ended", arguments: Operator.allCases)
    func thread(_ chained: Operator) {
        let (mayReturn, ended) = (OneShot(), OneShot())
        let begun = Guarded<Thread?>(nil)
        let next = Observable<Int>.create { observer in
            begun.value = Thread.current
            mayReturn.fire()
            observer.onCompleted()
            return Disposables.create()
        }
        let chain = chained.chain(first(fails: chained.fails, mayReturn), next)
        let subscription = chain.subscribe(onDisposed: ended.fire)
        #expect(ended.wait(seconds: 10))
        #expect(begun.value != nil && begun.value != Thread.current)
        subscription.dispose()
    }

    /// The fault: the thread inside `subscribe` delivered the elements of the next source for ever, and nobody could dispose of it.
    @Test("An endless next source does not keep a thread in subscribe", arguments: Operator.allCases)
    func endless(_ chained: Operator) {
        let returned = OneShot()
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test.first")
        Thread.detachNewThread {
            for _ in 0..<300 {
                let first: Observable<Int> = chained.fails ? .error(TestError.e1) : .empty()
                let subscription = chained.chain(first.observe(on: queue), .repeatElement(1)).subscribe()
                subscription.dispose()
            }
            returned.fire()
        }
        #expect(returned.wait(seconds: 60))
    }
}

private enum TestError: Error { case e1 }
