// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Waits until a descriptor has input, or the end of input. Used on the loop thread only.
final class ReadinessOperation: DescriptorOperation {
    private let whenFinished: (Int32) -> Void

    /// - Parameter whenFinished: receives the events of `poll`, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.whenFinished = whenFinished
        super.init(
            Request(kind: RX_POLL, descriptor: descriptor.fd, address: nil, flags: UInt32(bitPattern: Int32(POLLIN))))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) { whenFinished(result) }
}
