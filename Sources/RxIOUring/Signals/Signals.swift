// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
public import RxSwift

/// Signals sent to this process, as observables.
public enum Signals {
    /// Emits signals as they are delivered to the process: hot, and to each subscriber.
    ///
    /// While a signal is observed, its default action does not happen: `SIGTERM` does not end the process. A handler that was
    /// installed before is called as before. When the last subscriber of a signal leaves, the earlier handling is restored before `dispose` returns.
    ///
    /// The kernel remembers of each signal only that it is pending: several that come before the first one is delivered count as
    /// one (but for real-time signals). Each delivery is counted, and emitted, no matter how long the loop is busy; between
    /// different signals the order is not kept.
    ///
    /// Other threads may block the signals: the loop thread takes those that are observed. A signal that is sent to one thread
    /// (`pthread_kill`) which blocks it stays pending there. The handler is installed when `subscribe` returns, unless the subscription fails, also over one that other code has
    /// installed since. The loop thread never takes `SIGPIPE`: the writes of this library raise none.
    ///
    /// Observing `SIGCHLD` does not reap children, and does not disturb code that waits for them.
    /// - Parameters:
    ///   - signals: numbers, `SIGTERM` and the like, at least one.
    ///   - scheduler: the event loop on whose thread they are emitted.
    /// - Returns: the numbers, and never completes. Fails with an `IOError` (`sigaction`) of `EINVAL` for signals that cannot be
    ///   observed: `SIGKILL`, `SIGSTOP`, numbers of no signal, and those that the processor raises at an instruction
    ///   (`SIGSEGV`, `SIGBUS`, `SIGILL`, `SIGFPE`, `SIGTRAP`); of `ENOMEM`; or (`eventfd`) if there is no descriptor left.
    public static func observe(_ signals: CInt..., scheduler: IOUringScheduler) -> Observable<CInt> {
        if signals.isEmpty { fatalError("Signals.observe: needs at least one signal") }
        return scheduler.observable { SignalSource(signals, loop: scheduler.loop, downstream: $0) }
    }
}

private final class SignalSource: LoopSource<CInt> {
    /// Created by the subscribing thread.
    private let watches: [SignalWatch]
    /// The error for which some of the watches are missing.
    private var failure: IOError?
    private let signals: [CInt]

    init(_ signals: [CInt], loop: EventLoop, downstream: Sink<CInt>) {
        self.signals = signals
        var known: Set<CInt> = []
        var watches: [SignalWatch] = []
        do throws(IOError) {
            for signal in signals where known.insert(signal).inserted { watches.append(try SignalWatch(signal)) }
        } catch {
            failure = error
        }
        self.watches = watches
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String {
        "signal" + (signals.count == 1 ? " " : "s ") + signals.map(String.init).joined(separator: ", ")
    }

    override func begin() {
        if let failure { return fail(with: failure) }
        for watch in watches {
            // The closure retains this source until `end` closes the watch.
            watch.start(on: loop) { [self] count in received(watch.signal, count) }
        }
    }

    /// The earlier handling counts from the dispose on, no matter how long the loop is busy.
    override func wasStopped() {
        for watch in watches { watch.unwatch() }
    }

    override func end() {
        for watch in watches { watch.close() }
    }

    private func received(_ signal: CInt, _ count: UInt64) {
        var left = count
        while left > 0, isRunning {
            left -= 1
            emit(signal)
        }
    }
}
