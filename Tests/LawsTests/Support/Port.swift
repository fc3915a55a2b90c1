// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport

extension Laws {
    /// A source of an operator under test, played by the test.
    final class Port: @unchecked Sendable {
        enum Kind: Sendable, CaseIterable {
            /// `create`, whose observers the port keeps, also after the end.
            case create
            /// A `PublishSubject`, which the port keeps.
            case subject
        }

        let observable: Observable<Int>
        private let subject: PublishSubject<Int>?
        private let created: CreatedObservers

        /// The observers that `create` has passed to its closure.
        private final class CreatedObservers: @unchecked Sendable {
            private let lock = NSLock()
            /// Under the lock.
            private var kept: [AnyObserver<Int>] = []
            private var ended = 0

            var observers: [AnyObserver<Int>] { lock.withLock { kept } }
            var activeCount: Int { lock.withLock { kept.count - ended } }

            func opened(_ observer: AnyObserver<Int>) -> Int {
                lock.withLock {
                    kept.append(observer)
                    return kept.count
                }
            }

            func closed() { lock.withLock { ended += 1 } }

            func forget() {
                let old = lock.withLock {
                    defer {
                        kept = []
                        ended = 0
                    }
                    return kept
                }
                withExtendedLifetime(old) {}
            }
        }

        /// - Parameter onSubscribe: emits inside `create`'s closure; is handed the number of the subscription, from 1.
        init(_ kind: Kind, onSubscribe: (@Sendable (AnyObserver<Int>, Int) -> Void)? = nil) {
            let created = CreatedObservers()
            self.created = created
            switch kind {
            case .create:
                subject = nil
                observable = .create { observer in
                    let number = created.opened(observer)
                    onSubscribe?(observer, number)
                    return Disposables.create { created.closed() }
                }
            case .subject:
                let made = PublishSubject<Int>()
                subject = made
                observable = made
            }
        }

        /// True if an operator is subscribed.
        var isObserved: Bool { subject?.hasObservers ?? (created.activeCount > 0) }

        /// Sends an event to every observer that has ever subscribed.
        func send(_ event: Event<Int>) {
            if let subject { return subject.on(event) }
            for observer in created.observers { observer.on(event) }
        }

        /// The number of subscriptions that `create` has had.
        var subscriptions: Int { created.observers.count }

        /// Sends an event to the first so many who subscribed to `create`.
        func send(_ event: Event<Int>, toFirst count: Int) {
            for observer in created.observers.prefix(count) { observer.on(event) }
        }

        /// Releases the observers of `create`.
        func forget() { created.forget() }
    }
}
