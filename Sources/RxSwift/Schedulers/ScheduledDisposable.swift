import RxPrimitives

/// Disposes of a disposable on a scheduler.
///
/// From any thread.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// Where the disposable is disposed of.
    public let scheduler: any ImmediateSchedulerType

    /// 0: not disposed of. 1: disposed of, for ever.
    private let state = AtomicWord(0)

    /// Belongs to the one who sets `state`.
    private var disposable: (any Disposable)?

    /// - Parameters:
    ///   - scheduler: where to dispose.
    ///   - disposable: disposed of there, once.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        self.disposable = disposable
        super.init()
    }

    /// Whether the disposable was disposed of. False while that is only scheduled.
    public var isDisposed: Bool { state.loadAcquiring() != 0 }

    /// Schedules the disposal, and returns.
    public func dispose() {
        _ = scheduler.schedule(self) { scheduled in
            scheduled.disposeNow()
            return Disposables.create()
        }
    }

    private func disposeNow() {
        guard state.exchange(1) == 0 else { return }
        let disposable = self.disposable
        self.disposable = nil
        disposable?.dispose()
    }
}
