// SPDX-License-Identifier: Apache-2.0

// What the loop's streams ask of the kernel.
extension EventLoop {
    /// Submits an operation that is not in flight. Only on the loop thread.
    func submit(_ operation: Operation) {
        if !isCurrent { fatalError("swift-rx: an operation was submitted outside its event loop") }
        withBackend { $0.submit(operation) }
    }

    /// The source of completions. Any thread may call `interrupt`; the rest is for the loop thread.
    var backend: Backend { heldBackend.object! }

    /// Passes the backend to `body`, and counts no reference. Only on the loop thread.
    @inline(__always)
    func withBackend<Result>(_ body: (Backend) -> Result) -> Result { heldBackend.lent!._withUnsafeGuaranteedRef(body) }

    /// Requests that an operation end early; does nothing if it is not in flight. Only on the loop thread.
    ///
    /// The operation completes in any case.
    func cancel(_ operation: Operation) {
        if operation.isInFlight { backend.cancel(operation) }
    }
}
