// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Puts the data written to a file on its disk. Used on the loop thread only.
final class SynchronizeOperation: DescriptorOperation {
    private let whenFinished: (Int32) -> Void

    /// - Parameter whenFinished: receives 0, or a negated errno.
    init(_ descriptor: Descriptor, whenFinished: @escaping (Int32) -> Void) {
        self.whenFinished = whenFinished
        super.init(Request(kind: RX_SYNCHRONIZE, descriptor: descriptor.fd, address: nil))
    }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        // EINVAL: a device, a pipe or a file of /proc, which has nothing to put on a disk.
        whenFinished(result == -EINVAL ? 0 : result)
    }
}
