// SPDX-License-Identifier: Apache-2.0

/// The backend of a loop that could not be made. No operation ever comes to it, and there is no thread to wake.
final class ClosedBackend: Backend {
    private let wanted: IOUringScheduler.Backend

    /// - Parameter wanted: the backend that the loop was to have; nil for any.
    init(instead wanted: IOUringScheduler.Backend?) { self.wanted = wanted ?? .epoll }

    override var kind: IOUringScheduler.Backend { wanted }

    override func interrupt() {}
}
