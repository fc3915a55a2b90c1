// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L1 with sources that keep the subscribing thread and send nothing: once nobody wants them, the thread gets free.
    @Suite struct CapturedThreadLaw {
        /// A source that keeps the thread which subscribes to it.
        enum SourceKind: CaseIterable, Sendable {
            /// Fails again and again.
            case failing
            /// Sends elements, none of which comes through.
            case filtered
        }

        /// What the sources do that are not under test.
        enum Others: CaseIterable, Sendable {
            case sendOneAndComplete, sendOneAndWait
        }

        /// What lies between the operator and the observer.
        enum Below: CaseIterable, Sendable {
            case nothing, share

            func apply(_ source: Observable<Int>) -> Observable<Int> {
                switch self {
                case .nothing: source
                case .share: source.share()
                }
            }
        }

        /// Rows whose own closure subscribes, by what their names contain: what it subscribes to cannot be stopped before it returns.
        private static let subscribing = [
            "create(", "subscribe(_", "subscribe(on", "subscribe(with", "bind(", "drive(", "emit(", "[relay]",
            "Subject", "connect()",
            "publish()", "replay(_:)", "replayAll()", "multicast(_:)",
        ]

        /// An object of another module is subscribed to the source there, on the subscribing thread.
        private static let subscribingElsewhere = "DescriptorStream.write"

        private static func subscribesItself(_ subject: Case) -> Bool {
            subject.row.name == subscribingElsewhere
                || !subject.row.name.hasSuffix("subscribe(on:)")
                    && subscribing.contains(where: subject.description.contains)
        }

        @Test("A silent endless source lets its thread go", arguments: Laws.racingCases)
        func silentEndlessSource(_ subject: Case) {
            if Self.subscribesItself(subject) { return }
            for below in Below.allCases {
                for others in Others.allCases {
                    for kind in SourceKind.allCases {
                        let life = Life(kind)
                        #expect(life.letsGo(subject, others, below), "\(kind), \(others), \(below)")
                    }
                }
            }
        }

        private final class Life: @unchecked Sendable {
            private let kind: SourceKind
            private let attempts = AtomicCounter(0)
            /// Not 0 once the law is broken or kept, and the sources have to end.
            private let isOver = AtomicCounter(0)

            init(_ kind: SourceKind) { self.kind = kind }

            private var endless: Observable<Int> {
                switch kind {
                case .failing:
                    Observable<Int>.deferred { [self] in
                        attempts.increment()
                        return isOver.value == 0 ? .error(LawError.source) : .never()
                    }.retry()
                case .filtered:
                    Observable.repeatElement(0).filter { [self] _ in
                        attempts.increment()
                        if isOver.value != 0 { throw LawError.thrown("over") }
                        return false
                    }
                }
            }

            /// Subscribes on a thread, ends the subscription from another one, and tells whether the source stops.
            func letsGo(_ subject: Case, _ others: Others, _ below: Below) -> Bool {
                let stop = PublishSubject<Void>()
                let hasReturned = AtomicCounter(0)
                let isStopped = DispatchSemaphore(value: 0)
                Thread.detachNewThread { [self] in
                    let sources: [Observable<Int>] = (0..<subject.row.sources).map { position in
                        if position == subject.position { return endless }
                        return others == .sendOneAndWait ? .concat(.just(1), .never()) : .just(1)
                    }
                    let observable = below.apply(subject.row.build(sources, subject.position, Probe(Script())))
                    let subscription = observable.take(until: stop).subscribe()
                    hasReturned.increment()
                    isStopped.wait()
                    subscription.dispose()
                }
                // Many rows never subscribe to the source.
                for _ in 0..<100 where attempts.value < 5 && (hasReturned.value == 0 || subject.row.isAsynchronous) {
                    usleep(50)
                }
                stop.onNext(())
                isStopped.signal()
                let isFree = Laws.eventually(true, seconds: 3) { hasReturned.value == 1 } && hasSettled()
                isOver.increment()
                return isFree
            }

            private func hasSettled() -> Bool {
                Laws.eventually(true, seconds: 3) {
                    let before = attempts.value
                    usleep(200)
                    return attempts.value == before
                }
            }
        }
    }
}
