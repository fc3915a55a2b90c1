// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Law L12 for the inner sources that one thread brings and another one subscribes to.
@Suite struct LimitedMergeHelpTests {
    enum Operator: CaseIterable, Sendable {
        case concatMap, mergeOfTwo

        func applied(to source: Observable<Int>) -> Observable<Int> {
            switch self {
            case .concatMap: source.concatMap { Observable.of($0, $0) }
            case .mergeOfTwo: source.map { Observable.of($0, $0) }.merge(maxConcurrent: 2)
            }
        }
    }

    enum Call: CaseIterable, Sendable { case subscribe, emitInCallback }

    /// The fault: the call never returned, because the thread subscribed to what the others brought.
    @Test("A thread leaves the sources of other threads to the runtime", arguments: Operator.allCases, Call.allCases)
    func returns(_ applied: Operator, _ call: Call) {
        let relay = PublishRelay<Int>()
        let merged = applied.applied(to: relay.asObservable())
        let lasting = call == .subscribe ? Disposables.create() : merged.subscribe()
        let isOver = AtomicWord(0)
        let calls = AtomicWord(0)
        let threads = DispatchGroup()
        for _ in 0..<2 {
            threads.onThread {
                while isOver.loadRelaxed() == 0 { relay.accept(1) }
            }
        }
        threads.onThread {
            while calls.loadRelaxed() < 50, isOver.loadRelaxed() == 0 {
                switch call {
                case .subscribe: merged.subscribe().dispose()
                case .emitInCallback: _ = Observable.of(1).subscribe(onNext: { relay.accept($0) })
                }
                _ = calls.fetchAdd(1)
            }
        }
        #expect(settles { calls.loadRelaxed() == 50 })
        isOver.storeRelaxed(1)
        threads.wait()
        lasting.dispose()
    }

    @Test("Nothing is lost or out of order while threads of the runtime help") func order() {
        let subject = PublishSubject<Int>()
        let received = Guarded<[Int]>([])
        nonisolated(unsafe) var isInside = false
        let ended = OneShot()
        _ = subject.concatMap { Observable.of($0, -$0) }.subscribe(
            onNext: { element in
                #expect(!isInside)
                isInside = true
                received.change { $0.append(element) }
                isInside = false
            }, onCompleted: { ended.fire() })
        let count = 30_000
        race(
            [1, 2].map { half in
                { for number in 1...count { subject.onNext(2 * number + half) } }
            })
        subject.onCompleted()
        #expect(ended.wait())
        let elements = received.value
        #expect(elements.count == 4 * count)
        #expect(stride(from: 0, to: elements.count, by: 2).allSatisfy { elements[$0] == -elements[$0 + 1] })
        for half in [1, 2] {
            let own = elements.filter { $0 > 0 && ($0 - half) % 2 == 0 }
            #expect(own == own.sorted() && own.count == count)
        }
    }
}
