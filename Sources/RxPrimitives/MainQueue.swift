// SPDX-License-Identifier: Apache-2.0

// This test runs for each event that is observed on the main queue. Through Dispatch's own Swift interface it costs twice as
// much, because that makes an optional of a class which it casts.
#if canImport(CDispatch)
    import CDispatch

    /// Tells whether the caller runs on the main queue.
    ///
    /// On Linux a worker thread may drain it, so this asks for the queue and not for the thread.
    package enum MainQueue {
        /// The address of a private byte, which marks the main queue.
        private static let mark: UnsafeMutableRawPointer = {
            let mark = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            dispatch_queue_set_specific(dispatch_get_main_queue(), mark, mark, nil)
            return mark
        }()

        package static var isCurrent: Bool { dispatch_get_specific(mark) != nil }
    }
#else
    import Dispatch

    /// Tells whether the caller runs on the main queue.
    package enum MainQueue {
        private static let mark: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
    }
#endif
