import Dispatch

/// Tells the main queue from others. To be made before the first question.
struct MainQueueMark: Sendable {
    private let key = DispatchSpecificKey<Bool>()

    init() { DispatchQueue.main.setSpecific(key: key, value: true) }

    /// Whether the caller runs on the main queue.
    var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}
