// SPDX-License-Identifier: Apache-2.0

/// A job whose work is a closure, for modules that cannot subclass `Job`.
package final class WorkJob: Job {
    private let body: (_ budget: inout Int, _ isRejected: Bool) -> Bool
    private let begins: Bool

    /// - Parameters:
    ///   - beginsSequence: true if the work begins a sequence, and its rejection ends that.
    ///   - body: called with false in place of `Job.run`, with true in place of `Job.wasRejected`, under the contract of each.
    package init(beginsSequence: Bool = false, _ body: @escaping (_ budget: inout Int, _ isRejected: Bool) -> Bool) {
        self.body = body
        begins = beginsSequence
        super.init()
    }

    package override var holdsEvents: Bool { begins }

    package override func run(_ budget: inout Int) -> Bool { body(&budget, false) }

    package override func wasRejected() -> Bool {
        var budget = 0
        return body(&budget, true)
    }
}
