// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxIOUring
public import RxSwift

/// Tells when a program is to end.
public enum Termination {
    /// Emits the number of the signal once SIGINT or SIGTERM comes, on the thread of a loop, and completes; to late
    /// subscribers, too.
    ///
    /// Takes only the first signal: the program then stops observing both signals, and a second one ends the program at once, as it
    /// does by default.
    public static func signal(_ scheduler: IOUringScheduler) -> Observable<CInt> {
        Signals.observe(SIGINT, SIGTERM, scheduler: scheduler)
            .take(1)
            .share(replay: 1, scope: .forever)
    }
}
