// SPDX-License-Identifier: Apache-2.0

/// A job whose work is a closure, for modules that cannot subclass `Job`.
package final class WorkJob: Job {
    private let body: (_ budget: inout Int, _ isRejected: Bool) -> Bool

    /// - Parameter body: called with false in place of `Job.run`, with true in place of `Job.wasRejected`, under the contract of each.
    package init(_ body: @escaping (_ budget: inout Int, _ isRejected: Bool) -> Bool) {
        self.body = body
        super.init()
    }

    package override func run(_ budget: inout Int) -> Bool { body(&budget, false) }

    package override func wasRejected() -> Bool {
        var budget = 0
        return body(&budget, true)
    }
}
