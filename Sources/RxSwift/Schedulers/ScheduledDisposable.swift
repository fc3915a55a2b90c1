// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A disposable that disposes of another on a scheduler.
///
/// All members may be used from any thread.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// The scheduler on which the disposable is disposed of.
    public let scheduler: any ImmediateSchedulerType

    /// 0: not disposed of; 1: disposed of, for ever.
    private let state = AtomicWord(0)

    /// The disposable. Only the thread that sets `state` accesses it.
    private var disposable: (any Disposable)?

    /// Creates a disposable that disposes of another one on a scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: the scheduler on which to dispose.
    ///   - disposable: disposed of there, once; where the scheduler drops that work, as one that has ended does, by the thread that drops it.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        self.disposable = disposable
        super.init()
    }

    /// True if the disposable was disposed of; false while that is only scheduled.
    public var isDisposed: Bool { state.loadAcquiring() != 0 }

    /// Schedules the disposal, and returns.
    public func dispose() {
        _ = scheduler.schedule(Ticket(self)) { ticket in
            ticket.owner.disposeNow()
            return Disposables.create()
        }
    }

    fileprivate func disposeNow() {
        guard state.exchange(1) == 0 else { return }
        let disposable = self.disposable
        self.disposable = nil
        disposable?.dispose()
    }
}

/// The work that a scheduler runs, or drops.
private final class Ticket: Sendable {
    let owner: ScheduledDisposable

    init(_ owner: ScheduledDisposable) { self.owner = owner }

    deinit { owner.disposeNow() }
}
