// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Whether one of the subscriptions to a sequence has taken the user's descriptor over; used on any thread.
///
/// A further one must not touch that number: by then it may be another file's.
final class DescriptorOwnership: Sendable {
    private let isTaken = AtomicWord(0)

    func take() -> Bool { isTaken.compareExchange(0, 1) }

    // Releasing: paired with the compare-exchange of the next `take`.
    func giveBack() { isTaken.storeReleasing(0) }
}
