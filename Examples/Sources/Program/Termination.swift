import Glibc
public import RxIOUring
public import RxSwift

/// When a program is to end.
public enum Termination {
    /// Emits the number of the signal once SIGINT or SIGTERM comes, on the thread of a loop, and completes; to late
    /// subscribers, too.
    ///
    /// Only the first signal is taken: then nobody observes them any more, and a second one ends the program at once, as it
    /// does by default.
    public static func signal(_ scheduler: IOUringScheduler) -> Observable<CInt> {
        Signals.observe(SIGINT, SIGTERM, scheduler: scheduler)
            .take(1)
            .share(replay: 1, scope: .forever)
    }
}
