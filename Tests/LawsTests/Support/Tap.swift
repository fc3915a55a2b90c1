// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift

extension Laws {
    /// A `do` at one point of a chain. Each subscription has a record of its own, because each sees a sequence of its own.
    final class Tap: @unchecked Sendable {
        private let lock = NSLock()
        /// Under the lock.
        private var all: [Record] = []

        /// Called in each `do` with the event, before it passes. Set before the first event.
        var onEvent: ((Event<Int>) throws -> Void)?

        /// The source with a `do` directly below it.
        func tapped(_ source: Observable<Int>) -> Observable<Int> {
            .deferred {
                let record = Record()
                self.lock.withLock { self.all.append(record) }
                let receive: @Sendable (Event<Int>) throws -> Void = { event in
                    record.received(event)
                    try self.onEvent?(event)
                }
                return source.do(
                    onNext: { try receive(.next($0)) }, onError: { try receive(.error($0)) },
                    onCompleted: { try receive(.completed) })
            }
        }

        /// One for each subscription, in order of subscribing.
        var records: [Record] { lock.withLock { all } }
        /// The number of calls of the `do`, for all subscriptions together.
        var calls: Int { records.reduce(0) { $0 + $1.events.count } }
        var hasEnded: Bool { records.contains(where: \.hasEnded) }
        /// The fault of the calls to the `do`, or nil.
        var violation: String? { records.lazy.compactMap(\.violation).first }
    }
}
