// SPDX-License-Identifier: Apache-2.0

/// An object that lives on a loop and has to learn of its end.
protocol LoopDependent: AnyObject {
    /// Sends what was accepted before the end of the loop, as far as it can without waiting. On the loop thread, before `loopEnded`.
    ///
    /// - Returns: whether something is left to send. Then the loop waits for events, and asks again.
    func drain() -> Bool

    /// True if it only takes something in. Such dependents learn of the end first: what relays their elements knows that there are no more,
    /// before outputs are closed.
    var isInput: Bool { get }

    /// True if it waits for the outcome of an output, which tells it when the operations of the loop have ended. It learns of the end of the loop behind
    /// that.
    var awaitsOutput: Bool { get }

    /// Handles the end of the loop, on the loop thread, once. The loop has forgotten the dependent already, and takes no more
    /// operations.
    func loopEnded()
}

extension LoopDependent {
    func drain() -> Bool { false }
    var isInput: Bool { false }
    var awaitsOutput: Bool { false }
}

extension EventLoop {
    /// Registers `dependent` to be told of the loop's end. Only on the loop thread; returns false if the loop has ended.
    func add(_ dependent: any LoopDependent) -> Bool {
        if isClosed { return false }
        dependents.add(dependent, ObjectIdentifier(dependent))
        return true
    }

    /// Removes a dependent. Only on the loop thread.
    func remove(_ dependent: any LoopDependent) {
        dependents.remove(ObjectIdentifier(dependent))
    }

    /// Ends the dependents of a kind, in the order in which they came.
    func endDependents(_ mayEnd: (any LoopDependent) -> Bool) {
        while true {
            let ending = dependents.all.filter(mayEnd)
            if ending.isEmpty { return }
            // One that ends may remove others.
            for dependent in ending { dependents.remove(ObjectIdentifier(dependent))?.loopEnded() }
        }
    }
}
