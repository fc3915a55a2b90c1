// SPDX-License-Identifier: Apache-2.0

/// An object that is told, on the loop thread, whether its bytes were sent.
protocol WriteWaiter: AnyObject {
    /// - Parameter error: nil if the kernel has taken them.
    func writeEnded(_ error: IOError?)
}
