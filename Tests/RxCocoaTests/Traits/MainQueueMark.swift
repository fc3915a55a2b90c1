import Dispatch

/// Tells the main queue from others. Has to be made before the first use of `isHere`.
struct MainQueueMark: Sendable {
    private let key = DispatchSpecificKey<Bool>()

    init() { DispatchQueue.main.setSpecific(key: key, value: true) }

    /// True if the caller runs on the main queue.
    var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}
