// SPDX-License-Identifier: Apache-2.0

/// An object that is told, on the loop thread, of changes of an output.
protocol OutputObserver: AnyObject {
    /// The output has become full, and may have room again by now. Called once after each time.
    func outputFilled()

    /// The output may have room, or has ended.
    func outputChanged()
}

extension OutputObserver {
    func outputFilled() {}
}
