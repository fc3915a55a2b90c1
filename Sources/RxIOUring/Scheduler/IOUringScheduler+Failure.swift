// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension IOUringScheduler {
    /// The error for which the loop could not be made (`pthread_create`, `epoll_create1`, `eventfd`, `epoll_ctl`); nil if it could.
    ///
    /// Such a scheduler behaves as one after `shutdown()`: it rejects work, and reports it to `Hooks.workRejectedHandler`. Its streams fail
    /// with this error's code and operation. It does not become usable later: make another one.
    public var failure: IOError? { loop.failure }

    /// Starts a loop's thread, and returns when it is ready.
    ///
    /// - Parameters: as of the initializer.
    /// - Throws: `IOError`, the `failure`, if the system has no thread or no descriptor left.
    public static func make(
        name: String = "rx.io", spin: Spin = .none, processor: Int? = nil, backend: Backend? = nil,
        stallLimit: RxTimeInterval? = nil
    ) throws -> IOUringScheduler {
        let made = IOUringScheduler(
            name: name, spin: spin, processor: processor, backend: backend, stallLimit: stallLimit)
        if let failure = made.failure { throw failure }
        return made
    }
}
