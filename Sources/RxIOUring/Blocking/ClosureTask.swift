// SPDX-License-Identifier: Apache-2.0

/// A closure that may block its thread, for a `BlockingPool`.
package final class ClosureTask: BlockingTask, @unchecked Sendable {
    private let body: () -> Void

    package init(_ body: @escaping () -> Void) { self.body = body }

    package override func run() { body() }
}
