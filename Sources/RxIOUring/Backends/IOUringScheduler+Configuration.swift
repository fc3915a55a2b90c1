// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import RxSwift

extension IOUringScheduler {
    /// The way a loop waits for work before its thread sleeps.
    ///
    /// A sleeping thread takes some 25 microseconds to wake up, and the wake-up costs the waker a system call of one or two.
    /// A spinning one sees work after 0.1 microseconds, but uses a processor up while it spins: for a loop with a processor
    /// of its own.
    public enum Spin: Sendable, Equatable {
        /// Sleeps as soon as there is nothing to do.
        case none
        /// Looks for work for at most this time before it sleeps.
        case upTo(DispatchTimeInterval)
    }

    package struct Configuration {
        package var name = "rx.io"
        package var spin = Spin.none
        package var processor: Int?
        package var backend: Backend?
        /// Room in the ring for submissions and for completions. Powers of two.
        package var submissions: UInt32 = 256
        package var completions: UInt32 = 4096
        /// Nanoseconds for which unused objects are kept for the next actions and timers. As long as allocators do.
        package var idleTimeout: UInt64 = 10_000_000_000
        /// Starts the loop's thread. Returns 0 or an errno.
        package var startThread: (@escaping () -> Void) -> CInt = RxIOUring.startThread
        /// The threads that open files and resolve names for the loop.
        package var files = BlockingPool.files
        package var lookups = BlockingPool.lookups
        /// Makes the loop a simulated one, and overrides `backend`.
        package var simulation: Simulation?
        /// Nanoseconds above which a turn is a stall; nil for no limit.
        package var stallLimit: UInt64?

        package init(
            name: String = "rx.io", spin: Spin = .none, processor: Int? = nil, backend: Backend? = nil,
            submissions: UInt32 = 256, completions: UInt32 = 4096
        ) {
            self.name = name
            self.spin = spin
            self.processor = processor
            self.backend = backend
            self.submissions = submissions
            self.completions = completions
        }
    }
}

extension IOUringScheduler.Configuration {
    /// Takes the limit that a user gave to `function`. `.never` is none.
    mutating func setStallLimit(_ limit: RxTimeInterval?, for function: String) {
        guard let limit, limit != .never else {
            stallLimit = nil
            return
        }
        let nanoseconds = limit.nanosecondsClamped
        if nanoseconds <= 0 { fatalError("\(function): stallLimit must be positive, not \(limit)") }
        // Two weeks: more ticks would not fit into a word.
        stallLimit = min(UInt64(nanoseconds), 1 << 50)
    }
}

extension IOUringScheduler.Spin {
    var nanoseconds: UInt64 {
        switch self {
        case .none: return 0
        case .upTo(let limit): return UInt64(limit.nanosecondsClamped)
        }
    }
}
