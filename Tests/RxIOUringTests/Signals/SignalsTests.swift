// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct SignalsTests {
    @Test("Every subscriber gets each signal, and the last restores the old handler", arguments: Backend.built)
    func everySubscriber(_ backend: Backend) {
        rx_test_count_signal(SIGUSR2)
        let counted = rx_test_counted_signals()
        onLoop(backend) { scheduler in
            let other = IOUringScheduler(backend: backend)
            let receivers = [
                Receiver(Signals.observe(SIGUSR2, scheduler: scheduler)),
                Receiver(Signals.observe(SIGUSR2, SIGHUP, SIGUSR2, scheduler: scheduler)),
                Receiver(Signals.observe(SIGUSR2, scheduler: other)),
            ]
            #expect(rx_test_counts_signal(SIGUSR2) == 0)
            kill(getpid(), SIGUSR2)
            for receiver in receivers { #expect(soon { receiver.elements == [SIGUSR2] }) }
            // The earlier handler runs as before.
            #expect(soon { rx_test_counted_signals() == counted + 1 })
            receivers[0].dispose()
            rx_test_raise(SIGUSR2)
            rx_test_raise(SIGHUP)
            #expect(soon { receivers[1].elements.sorted() == [SIGHUP, SIGUSR2, SIGUSR2].sorted() })
            #expect(soon { receivers[2].elements.count == 2 })
            #expect(receivers[0].elements.count == 1)
            receivers[1].dispose()
            receivers[2].dispose()
            #expect(soon { rx_test_counts_signal(SIGUSR2) == 1 })
            other.shutdown()
        }
        rx_test_raise(SIGUSR2)
        #expect(rx_test_counted_signals() == counted + 3)
        signal(SIGUSR2, SIG_DFL)
    }

    /// The fault: the program installs a handler that calls the library's handler, which is then installed once more.
    @Test("A handler that calls the library's handler is called once per signal", arguments: Backend.built)
    func chainedHandler(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let first = Receiver(Signals.observe(SIGUSR2, scheduler: scheduler))
            rx_test_chain_signal(SIGUSR2)
            let counted = rx_test_counted_signals()
            first.dispose()
            #expect(first.wait())
            #expect(scheduler.performAndWait { true })
            let second = Receiver(Signals.observe(SIGUSR2, scheduler: scheduler))
            for round in 1...3 {
                rx_test_raise(SIGUSR2)
                #expect(soon { second.elements.count == round })
            }
            #expect(rx_test_counted_signals() == counted + 3)
            second.dispose()
            #expect(second.wait())
        }
        signal(SIGUSR2, SIG_DFL)
    }

    @Test("Each delivery to a busy loop is one element", arguments: Backend.built)
    func busyLoop(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Signals.observe(SIGUSR2, scheduler: scheduler))
            let gate = OneShot()
            _ = scheduler.schedule(()) {
                _ = gate.wait()
                return Disposables.create()
            }
            // Each signal is delivered before `rx_test_raise` returns.
            for _ in 0..<1_000 { rx_test_raise(SIGUSR2) }
            gate.fire()
            #expect(soon { receiver.elements.count == 1_000 })
            receiver.dispose()
            #expect(receiver.wait())
        }
    }

    /// The faults: signals that a process cannot handle, and numbers that are no signal.
    @Test(
        "A signal that cannot be observed is an error",
        arguments: Backend.built, [SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, 0, -1, 65, 1_000, 32])
    func unobservable(_ backend: Backend, _ number: CInt) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Signals.observe(SIGUSR2, number, scheduler: scheduler))
            #expect(receiver.wait())
            #expect(
                receiver.error as? IOError
                    == IOError(code: EINVAL, operation: "sigaction", subject: "signal \(number)"))
        }
    }

    @Test("Observing SIGCHLD does not disturb code that waits for its children", arguments: Backend.built)
    func children(_ backend: Backend) throws {
        // Foundation opens descriptors at its first use.
        try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: []).waitUntilExit()
        try onLoop(backend) { scheduler in
            let receiver = Receiver(Signals.observe(SIGCHLD, scheduler: scheduler))
            for _ in 0..<5 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                process.arguments = ["-c", "exit 7"]
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 7)
            }
            #expect(soon { !receiver.elements.isEmpty })
            receiver.dispose()
            #expect(receiver.wait())
        }
    }

    /// No signal is counted by the wrong descriptor, and none is fatal.
    @Test("Subscriptions race with signals that come all the time", arguments: Backend.built)
    func underFire(_ backend: Backend) {
        rx_test_count_signal(SIGUSR2)
        onLoop(backend) { scheduler in
            let other = IOUringScheduler(backend: backend)
            let isOver = AtomicCounter(0)
            race(
                { while isOver.value < 2 { rx_test_raise(SIGUSR2) } },
                {
                    for _ in 0..<200 {
                        Signals.observe(SIGUSR2, scheduler: scheduler).subscribe().dispose()
                        _ = scheduler.performAndWait { true }
                    }
                    isOver.increment()
                },
                {
                    for _ in 0..<200 {
                        let subscription = Signals.observe(SIGUSR2, scheduler: other).subscribe()
                        _ = other.performAndWait { true }
                        subscription.dispose()
                    }
                    isOver.increment()
                })
            other.shutdown()
            #expect(soon { rx_test_counts_signal(SIGUSR2) == 1 })
        }
        signal(SIGUSR2, SIG_DFL)
    }

    @Test("Signals arrive although all threads block them", arguments: Backend.built)
    func blocked(_ backend: Backend) {
        onLoop(.epoll) { scheduler in
            let output = Receiver(
                ChildProcess.output(
                    builtProgram("BackendProbe"), arguments: ["signals"],
                    environment: ["RX_IO_BACKEND": backend.variable], scheduler: scheduler
                ).asObservable())
            #expect(output.wait())
            #expect(output.error == nil)
            #expect(output.elements.first.map { String(decoding: $0.output, as: UTF8.self) } == "signal 15\nalive\n")
            #expect(output.elements.first?.status == 0)
        }
    }
}
