// SPDX-License-Identifier: Apache-2.0

/// An object that gathers work during a tick of the loop, and does it at the tick's end.
protocol TickObserver: AnyObject {
    /// Handles the end of the tick, on the loop thread. May submit operations.
    func tickEnded()
}
