// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Tells the main queue from others. Has to be made before the first use of `isHere`.
public struct MainQueueMark: Sendable {
    private let key = DispatchSpecificKey<Bool>()

    public init() { DispatchQueue.main.setSpecific(key: key, value: true) }

    /// True if the caller runs on the main queue.
    public var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}
