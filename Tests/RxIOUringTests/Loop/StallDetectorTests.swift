// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import CTestSupport
import Foundation
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Callbacks that block their loop.
@Suite struct StallDetectorTests {
    /// The callback that blocks.
    enum Callback: CaseIterable, Sendable { case action, timer, completion, completionWhileSpinning }

    /// So long because other processes may take the processor from a loop that does little.
    private static let limit = 200_000_000

    private func makeScheduler(
        _ backend: Backend, name: String = "test.blocked", spin: IOUringScheduler.Spin = .none
    ) -> IOUringScheduler {
        IOUringScheduler(name: name, spin: spin, backend: backend, stallLimit: .nanoseconds(Self.limit))
    }

    @Test("A blocked loop is reported once, and again at the end", arguments: Backend.built, Callback.allCases)
    func blocked(_ backend: Backend, _ callback: Callback) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(
            backend, spin: callback == .completionWhileSpinning ? .upTo(.seconds(10)) : .none)
        let done = OneShot()
        let body: @Sendable () -> Void = {
            // Longer than any delay of the report: a second one would come in time.
            keepBusy(until: { log.stalls.count > 0 }, andThen: 0.5)
            done.fire()
        }
        let subscription = start(callback, on: scheduler, body)
        #expect(done.wait())
        #expect(soon { log.stalls.count == 2 })
        subscription.dispose()
        scheduler.shutdown()
        let stalls = log.stalls
        guard stalls.count == 2 else { return #expect(stalls.count == 2) }
        let (first, last) = (stalls[0], stalls[1])
        #expect(stalls.allSatisfy { $0.loop == "test.blocked" && $0.nanoseconds >= Self.limit })
        #expect(!first.isOver && last.isOver && last.nanoseconds >= first.nanoseconds + 400_000_000)
        if !hasThreadSanitizer {
            #expect(first.stack.count > 3 && first.stackNote == nil, "\(first)")
            #expect(last.stack == first.stack && last.function == first.function)
            #expect(first.stack.allSatisfy { $0.contains("+0x") }, "\(first)")
            #expect(!first.stack.contains { $0.contains("rx_stack") || $0.contains("backtrace") }, "\(first)")
        }
        #expect(scheduler.metrics.stalls == 1)
    }

    private func start(
        _ callback: Callback, on scheduler: IOUringScheduler, _ body: @escaping @Sendable () -> Void
    ) -> any Disposable {
        switch callback {
        case .action: scheduler.run(body)
        case .timer:
            return scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                body()
                return Disposables.create()
            }
        case .completion, .completionWhileSpinning:
            guard let (readEnd, writeEnd) = try? DescriptorStream.makePipe() else { break }
            let reading = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).subscribe(
                onNext: { _ in body() })
            #expect(scheduler.performAndWait { true })
            usleep(10_000)
            #expect(write(writeEnd, "x", 1) == 1)
            close(writeEnd)
            return reading
        }
        return Disposables.create()
    }

    /// The fault: the detector's signal ends such a call, and with it the turn, before the detector had looked at the answer.
    @Test("A callback in a call that a signal ends is reported with its stack", arguments: Backend.built)
    func interruptedCall(_ backend: Backend) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        scheduler.performAndWait { _ = poll(nil, 0, 10_000) }
        #expect(soon { log.stalls.count == 2 })
        scheduler.shutdown()
        if hasThreadSanitizer { return }
        for stall in log.stalls { #expect(stall.stack.count > 3 && stall.stackNote == nil, "\(stall)") }
    }

    @Test(
        "A loop at rest is not reported", arguments: Backend.built, [IOUringScheduler.Spin.none, .upTo(.seconds(10))])
    func rest(_ backend: Backend, _ spin: IOUringScheduler.Spin) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend, spin: spin)
        #expect(scheduler.performAndWait { true })
        usleep(400_000)
        scheduler.shutdown()
        #expect(log.stalls.isEmpty && scheduler.metrics.stalls == 0)
    }

    /// The limit is so long because other processes may take the processor from the loop.
    @Test("A busy loop of small steps is not reported", arguments: Backend.built)
    func smallSteps(_ backend: Backend) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = IOUringScheduler(backend: backend, stallLimit: .milliseconds(800))
        let end = MonotonicClock.now() + 2_000_000_000
        let done = OneShot()
        @Sendable func step() {
            if MonotonicClock.now() > end { done.fire() } else { scheduler.run(step) }
        }
        for _ in 0..<10 { scheduler.run { step() } }
        #expect(done.wait())
        scheduler.shutdown()
        #expect(log.stalls.isEmpty)
    }

    @Test("The detector's thread ends with the last loop that has a limit", arguments: Backend.built)
    func thread(_ backend: Backend) {
        #expect(soon { detectors == 0 })
        let signal = detectorSignal(of: backend)
        let plain = IOUringScheduler(backend: backend)
        // A thread that is about to end may still be there.
        #expect(soon { detectors == 0 })
        for _ in 0..<5 {
            let group = IOUringSchedulerGroup(count: 3, backend: backend, stallLimit: .milliseconds(20))
            #expect(soon { detectors == 1 })
            #expect(rx_stack_signal() == signal)
            group.schedulers[0].shutdown()
            group.schedulers[2].shutdown()
            usleep(50_000)
            #expect(detectors == 1)
            group.shutdown()
            #expect(soon { detectors == 0 })
            #expect(rx_stack_signal() == 0 && hasDefault(signal))
        }
        plain.shutdown()
    }

    /// The signal that the detector takes when it starts.
    private func detectorSignal(of backend: Backend) -> CInt {
        let scheduler = makeScheduler(backend)
        defer {
            scheduler.shutdown()
            #expect(soon { rx_stack_signal() == 0 })
        }
        return rx_stack_signal()
    }

    @Test("Loops with limits come and go", arguments: Backend.built)
    func churn(_ backend: Backend) {
        let churn: @Sendable () -> Void = {
            for _ in 0..<50 {
                let scheduler = IOUringScheduler(backend: backend, stallLimit: .milliseconds(1))
                scheduler.run { usleep(2_000) }
                scheduler.shutdown()
            }
        }
        let log = StallLog()
        race(churn, churn)
        #expect(soon { detectors == 0 })
        log.stop()
    }

    @Test("The handler may use the library", arguments: Backend.built)
    func handler(_ backend: Backend) {
        let scheduler = makeScheduler(backend)
        let other = OneShot()
        let before = IOHooks.stallHandler
        let threads = Guarded<Set<pthread_t>>([])
        IOHooks.stallHandler = { stall in
            threads.change { _ = $0.insert(pthread_self()) }
            if stall.isOver { return }
            let second = IOUringScheduler(backend: backend, stallLimit: .milliseconds(10))
            #expect(second.performAndWait { 1 } == 1)
            second.shutdown()
            scheduler.run { other.fire() }
            // Waits for the end of the blocked loop.
            scheduler.shutdown()
        }
        defer { IOHooks.stallHandler = before }
        let main = pthread_self()
        let loop = scheduler.performAndWait { pthread_self() }
        scheduler.run { keepBusy(until: { !threads.value.isEmpty }, andThen: 0.1) }
        #expect(other.wait())
        scheduler.shutdown()
        #expect(soon { detectors == 0 })
        #expect(!threads.value.contains(main) && !threads.value.contains(loop))
    }

    @Test("A loop that is shut down during a stall is reported, and ends", arguments: Backend.built)
    func shutdown(_ backend: Backend) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        let busy = OneShot()
        scheduler.run {
            busy.fire()
            keepBusy(until: { log.stalls.count > 0 }, andThen: 0.1)
        }
        #expect(busy.wait())
        scheduler.shutdown()
        #expect(soon { log.stalls.map(\.isOver) == [false, true] })
        #expect(soon { detectors == 0 })
    }

    // MARK: Signals

    @Test("A handler of the program is left alone", arguments: Backend.built)
    func usersHandler(_ backend: Backend) {
        let signal = detectorSignal(of: backend)
        rx_test_count_signal(signal)
        let counted = rx_test_counted_signals()
        expectStall(backend) {
            #expect($0.stackNote == nil)
            #expect(rx_stack_signal() != signal && rx_stack_signal() != 0)
        }
        #expect(rx_test_counts_signal(signal) != 0 && rx_test_counted_signals() == counted)
        Glibc.signal(signal, SIG_DFL)
    }

    @Test("A handler that the program installs later gets no signal, and stays", arguments: Backend.built)
    func laterHandler(_ backend: Backend) {
        let counted = rx_test_counted_signals()
        let taken = Guarded<CInt>(0)
        let replace: @Sendable () -> Void = {
            taken.value = rx_stack_signal()
            rx_test_count_signal(taken.value)
        }
        expectStall(backend, prepare: replace) {
            #expect($0.stackNote?.contains("replaced") == true && $0.stack.isEmpty)
        }
        #expect(soon { detectors == 0 })
        #expect(rx_test_counts_signal(taken.value) != 0 && rx_test_counted_signals() == counted)
        Glibc.signal(taken.value, SIG_DFL)
    }

    @Test("Without a free signal a stall is reported without a stack", arguments: Backend.built)
    func noSignal(_ backend: Backend) {
        #expect(soon { detectors == 0 })
        let signals = (__libc_current_sigrtmin()...__libc_current_sigrtmax()).filter(hasDefault)
        for signal in signals { rx_test_count_signal(signal) }
        expectStall(backend) { #expect($0.stackNote?.contains("all real-time signals") == true && $0.stack.isEmpty) }
        for signal in signals { Glibc.signal(signal, SIG_DFL) }
    }

    @Test(
        "A thread that blocks the signal is reported without a stack, and the next time with one",
        arguments: Backend.built)
    func blockedSignal(_ backend: Backend) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        scheduler.performAndWait {
            var (all, before) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, &before)
            keepBusy(until: { log.stalls.count > 0 }, andThen: 0)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        #expect(soon { log.stalls.count == 2 })
        scheduler.performAndWait { keepBusy(until: { log.stalls.count > 2 }, andThen: 0) }
        scheduler.shutdown()
        #expect(log.stalls.first?.stackNote?.contains("did not take the signal") == true)
        if !hasThreadSanitizer { #expect(log.stalls.dropFirst(2).first?.stackNote == nil) }
        #expect(soon { detectors == 0 && rx_stack_signal() == 0 })
    }

    @Test("The handler keeps errno, and lets system calls go on", arguments: Backend.built)
    func interruption(_ backend: Backend) throws {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let (isDone, count) = (OneShot(), Guarded(0))
        scheduler.run {
            var byte: UInt8 = 0
            // Waits beyond the limit.
            count.value = read(readEnd, &byte, 1)
            errno = 77
            keepBusy(until: { log.stalls.count > 0 }, andThen: 0)
            #expect(errno == 77)
            isDone.fire()
        }
        #expect(soon { log.stalls.count > 0 })
        #expect(write(writeEnd, "x", 1) == 1)
        #expect(isDone.wait() && count.value == 1)
        scheduler.shutdown()
        close(readEnd)
        close(writeEnd)
    }

    // MARK: Forks

    // ThreadSanitizer ends a forked child that starts a thread.
    @Test(
        "A forked child has no detector, and may have one of its own", .enabled(if: !hasThreadSanitizer),
        arguments: Backend.built)
    func fork(_ backend: Backend) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        let isOver = Guarded(false)
        scheduler.run { keepBusy(until: { isOver.value }, andThen: 0) }
        #expect(soon { log.stalls.count == 1 })
        let signal = rx_stack_signal()
        for _ in 0..<10 {
            let pid = rx_fork()
            if pid == 0 {
                rx_test_end_after(20)
                if rx_stack_signal() != 0 || !hasDefault(signal) { _exit(1) }
                let own = IOUringScheduler(backend: backend, stallLimit: .milliseconds(5))
                own.run { keepBusy(until: { log.stalls.count > 1 }, andThen: 0) }
                own.shutdown()
                _exit(42)
            }
            #expect(status(of: pid) == 42)
        }
        isOver.value = true
        scheduler.shutdown()
        #expect(soon { log.stalls.map(\.isOver) == [false, true] }, "\(log.stalls)")
    }

    // MARK: Support

    private func hasDefault(_ signal: CInt) -> Bool {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0 && action.sa_flags & SA_SIGINFO == 0
            && action.__sigaction_handler.sa_handler == nil
    }

    /// Blocks a loop until that is reported, and checks the report in the loop's callback.
    private func expectStall(
        _ backend: Backend, prepare: @escaping @Sendable () -> Void = {},
        _ check: @escaping @Sendable (LoopStall) -> Void
    ) {
        let log = StallLog()
        defer { log.stop() }
        let scheduler = makeScheduler(backend)
        scheduler.performAndWait {
            prepare()
            keepBusy(until: { log.stalls.count > 0 }, andThen: 0)
            if let stall = log.stalls.first { check(stall) } else { Issue.record("nothing was reported") }
        }
        scheduler.shutdown()
        #expect(soon { detectors == 0 })
    }

    /// The exit code of a child, or the negated number of the signal that ended it.
    private func status(of pid: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}

/// Keeps the calling thread busy until a condition holds, 20 seconds at most, and for some more time.
@inline(never)
public func keepBusy(until condition: () -> Bool, andThen seconds: Double) {
    let limit = MonotonicClock.now() + 20_000_000_000
    while MonotonicClock.now() < limit, !condition() {}
    let end = MonotonicClock.now() + UInt64(seconds * 1e9)
    while MonotonicClock.now() < end {}
}

/// The number of the detector's threads. The system may leave threads out of a list while others end, so one look is not enough.
private var detectors: Int { (0..<3).map { _ in threadCount(named: "rx.stalls") }.max()! }

/// The stalls that were reported since it was made.
final class StallLog: Sendable {
    private let stored = Guarded<[LoopStall]>([])
    nonisolated(unsafe) private let before = IOHooks.stallHandler

    init() {
        IOHooks.stallHandler = { [stored] stall in stored.change { $0.append(stall) } }
    }

    var stalls: [LoopStall] { stored.value }

    /// Ends the log, when the detector has reported what it has seen: the log of the next test must not get that. All loops have ended.
    func stop() {
        _ = soon { detectors == 0 }
        IOHooks.stallHandler = before
    }
}
