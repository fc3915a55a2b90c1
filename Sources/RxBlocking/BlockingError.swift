// SPDX-License-Identifier: Apache-2.0

/// The reason why waiting for a sequence would never have ended.
public enum BlockingError: Error, Equatable {
    /// The events are delivered on a dispatch queue that cannot run, because the waiting thread is running work of that queue.
    case deliversOnQueueOfCaller(label: String)
}

extension BlockingError: CustomStringConvertible {
    /// The message: the mistake, and the remedies.
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
