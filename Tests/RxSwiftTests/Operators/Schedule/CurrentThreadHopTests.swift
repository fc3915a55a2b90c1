// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Law L12 for hops on `CurrentThreadScheduler`, whose events wait on the trampoline of one thread and come from another one.
@Suite struct CurrentThreadHopTests {
    enum Operator: CaseIterable, Sendable {
        case unbounded, bounded

        func applied(to source: Observable<Int>) -> Observable<Int> {
            let scheduler = CurrentThreadScheduler.instance
            return switch self {
            case .unbounded: source.observe(on: scheduler)
            case .bounded: source.observe(on: scheduler, buffer: 1_000_000, overflow: .error)
            }
        }
    }

    /// The fault: the callback's thread delivered what the others sent, for as long as they did.
    @Test("A thread that emits in a callback leaves the events of others to the runtime", arguments: Operator.allCases)
    func returns(_ applied: Operator) {
        let relay = PublishRelay<Int>()
        let subscription = applied.applied(to: relay.asObservable()).subscribe(onNext: { _ in spin(nanoseconds: 20_000)
        })
        let sent = AtomicWord(0)
        let isOver = AtomicWord(0)
        let hasReturned = AtomicWord(0)
        let threads = DispatchGroup()
        threads.onThread {
            spin { sent.loadAcquiring() != 0 }
            while isOver.loadRelaxed() == 0 {
                relay.accept(1)
                _ = sent.fetchAdd(1)
            }
        }
        threads.onThread {
            onTrampoline {
                relay.accept(0)
                _ = sent.fetchAdd(1)
                spin { sent.loadAcquiring() > 100 }
            }
            hasReturned.storeRelaxed(1)
        }
        #expect(settles { hasReturned.loadRelaxed() == 1 })
        isOver.storeRelaxed(1)
        threads.wait()
        subscription.dispose()
    }

    @Test("Nothing is lost or out of order while threads of the runtime help", arguments: Operator.allCases)
    func order(_ applied: Operator) {
        let subject = PublishSubject<Int>()
        let log = EventLog(applied.applied(to: subject))
        let count = 30_000
        race(
            [1, 2].map { half in
                {
                    for number in 1...count {
                        onTrampoline { subject.onNext(2 * number + half) }
                    }
                }
            })
        subject.onCompleted()
        #expect(settles { log.lines.last == "completed" })
        #expect(!log.hasOverlapped)
        let elements = log.lines.compactMap(Int.init)
        #expect(elements.count == 2 * count)
        for half in [1, 2] {
            let own = elements.filter { ($0 - half) % 2 == 0 }
            #expect(own == own.sorted() && own.count == count)
        }
    }

    @Test("A thread delivers all that its own callbacks emit before its call returns")
    func own() {
        let subject = PublishSubject<Int>()
        var received = 0
        _ = subject.observe(on: CurrentThreadScheduler.instance).subscribe(onNext: { element in
            received += 1
            if element > 0 { subject.onNext(element - 1) }
        })
        subject.onNext(100_000)
        #expect(received == 100_001)
    }

    /// Runs a body within a callback of the trampoline.
    private func onTrampoline(_ body: @escaping @Sendable () -> Void) {
        _ = CurrentThreadScheduler.instance.schedule(()) {
            body()
            return Disposables.create()
        }
    }
}
