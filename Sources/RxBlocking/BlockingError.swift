// SPDX-License-Identifier: Apache-2.0

/// The reason why waiting for a sequence would never have ended.
public enum BlockingError: Error, Equatable {
    /// The events are delivered on a dispatch queue or an event loop that cannot run, because the waiting thread is running its work.
    ///
    /// The label is that of the queue, or says `the event loop` and its name.
    case deliversOnQueueOfCaller(label: String)
}

extension BlockingError: CustomStringConvertible {
    /// The message: the mistake, and the remedies.
    public var description: String {
        switch self {
        case .deliversOnQueueOfCaller(let label):
            """
            toBlocking: waits for events that observe(on:), a Driver or a Signal delivers on '\(label)', \
            but is called there, where nothing can be delivered until this call has returned. Call it on another thread, \
            observe on another scheduler, or await `values` or `value` instead.
            """
        }
    }
}
