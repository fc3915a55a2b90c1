/// Why waiting for a sequence would never have ended.
public enum BlockingError: Error, Equatable {
    /// The events are delivered on a dispatch queue which cannot run, because the thread that waits for them is at work on it.
    case deliversOnQueueOfCaller(label: String)
}

extension BlockingError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .deliversOnQueueOfCaller(let label):
            """
            toBlocking: waits for events that observe(on:), a Driver or a Signal delivers on the dispatch queue '\(label)', \
            but is called on that queue, which can deliver nothing until this call has returned. Call it on another queue, \
            observe on another scheduler, or await `values` or `value` instead.
            """
        }
    }
}
