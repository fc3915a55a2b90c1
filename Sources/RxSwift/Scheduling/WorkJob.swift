// SPDX-License-Identifier: Apache-2.0

/// A job whose work is a closure, for modules that cannot subclass `Job`.
package final class WorkJob: Job {
    private let body: (_ budget: inout Int, _ isRejected: Bool) -> Bool
    private let tells: Bool

    /// - Parameters:
    ///   - holdsEvents: see `Job.holdsEvents`.
    ///   - body: called with false in place of `Job.run`, with true in place of `Job.wasRejected`, under the contract of each.
    package init(holdsEvents: Bool = false, _ body: @escaping (_ budget: inout Int, _ isRejected: Bool) -> Bool) {
        self.body = body
        tells = holdsEvents
        super.init()
    }

    package override var holdsEvents: Bool { tells }

    package override func run(_ budget: inout Int) -> Bool { body(&budget, false) }

    package override func wasRejected() -> Bool {
        var budget = 0
        return body(&budget, true)
    }
}
