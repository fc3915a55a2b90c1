// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import CTestSupport
import Dispatch
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The handling of signals beside that of other code. Each in a process of its own.
@Suite struct SignalHandlingTests {
    /// The fault: the handler went when the loop came to the dispose, and signals that came before that did nothing.
    @Test("The earlier handling is restored when the last dispose returns") func restoredAtDispose() async {
        await #expect(processExitsWith: .signal(SIGUSR2)) {
            let scheduler = IOUringScheduler()
            let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let subscriptions = (0..<2).map { _ in Signals.observe(SIGUSR2, scheduler: scheduler).subscribe() }
            scheduler.run {
                isBusy.signal()
                goOn.wait()
            }
            isBusy.wait()
            for subscription in subscriptions { subscription.dispose() }
            rx_test_raise(SIGUSR2)
            goOn.signal()
        }
    }

    /// The fault: a subscription beside another one found the library's handler installed, as it was once.
    @Test("A subscription gets signals though other code has replaced the handler") func replacedHandler() async {
        await #expect(processExitsWith: .success) {
            let scheduler = IOUringScheduler()
            let (first, second) = (AtomicCounter(0), AtomicCounter(0))
            let observed = Signals.observe(SIGUSR1, scheduler: scheduler)
            let one = observed.subscribe(onNext: { _ in first.increment() })
            signal(SIGUSR1, SIG_IGN)
            let other = observed.subscribe(onNext: { _ in second.increment() })
            rx_test_raise(SIGUSR1)
            precondition(soon { first.value == 1 && second.value == 1 })
            one.dispose()
            rx_test_raise(SIGUSR1)
            precondition(soon { second.value == 2 } && first.value == 1)
            other.dispose()
            // The handling of the other code.
            rx_test_raise(SIGUSR1)
            exit(0)
        }
    }

    /// The fault: the handler was still walking the list of those who observe the signal, and found the new one in a place in front of it.
    @Test("Who observes a signal because of its delivery does not get that one") func observedInDelivery() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let scheduler = IOUringScheduler()
            for _ in 0..<50 {
                let (first, second) = (AtomicCounter(0), AtomicCounter(0))
                let observed = Signals.observe(SIGUSR1, scheduler: scheduler)
                let bag = CompositeDisposable()
                _ = bag.insert(
                    observed.subscribe(onNext: { _ in
                        _ = bag.insert(observed.subscribe(onNext: { _ in second.increment() }))
                        first.increment()
                    }))
                // They keep the handler busy, and behind them are free places: from the second round on, in the order of the subscriptions.
                for _ in 0..<900 { _ = bag.insert(observed.subscribe()) }
                let places = (0..<8).map { _ in observed.subscribe() }
                for place in places { place.dispose() }
                rx_test_raise(SIGUSR1)
                precondition(soon { first.value == 1 })
                // The loop looks at all who observe by now.
                Thread.sleep(forTimeInterval: 0.002)
                scheduler.run { bag.dispose() }
                precondition(second.value == 0, "the signal came to one that observed it later")
            }
            exit(0)
        }
    }

    /// The fault: while signals came without a pause each subscription took a new place in the list that the handler walks, which stayed for ever.
    @Test("A signal costs the same after subscriptions during a storm of signals") func costBehindStorm() async {
        await #expect(processExitsWith: .success) {
            let scheduler = IOUringScheduler()
            let usual = Signals.observe(SIGUSR2, scheduler: scheduler).subscribe()
            let cost = {
                (0..<100).map { _ in
                    let start = DispatchTime.now().uptimeNanoseconds
                    rx_test_raise(SIGUSR2)
                    return DispatchTime.now().uptimeNanoseconds - start
                }.min()!
            }
            let before = cost()
            let hasEnded = AtomicCounter(0)
            let churn = {
                for _ in 0..<20_000 { Signals.observe(SIGUSR1, scheduler: scheduler).subscribe().dispose() }
                hasEnded.increment()
            }
            let kept = Signals.observe(SIGUSR1, scheduler: scheduler).subscribe()
            race(churn, churn, { while hasEnded.value < 2 { rx_test_raise(SIGUSR1) } })
            kept.dispose()
            let behind = cost()
            precondition(behind < 50 * before + 20_000, "\(before) ns before, \(behind) ns behind")
            usual.dispose()
            exit(0)
        }
    }

    /// The fault: the loop's thread took the signal, which its own writes raised; and by default it ends the process.
    @Test("Writes of a loop that observes SIGPIPE raise none", arguments: [true, false])
    func brokenPipe(_ hasDefault: Bool) async {
        await #expect(processExitsWith: .success) { [hasDefault] in
            let scheduler = IOUringScheduler()
            let broken = try DescriptorStream.makePipe()
            close(broken.readEnd)
            let count = AtomicCounter(0)
            let write = {
                DescriptorStream.write(.just(ByteChunk("text")), to: broken.writeEnd, scheduler: scheduler)
                    .asObservable()
            }
            // One that leaves its signal pending would reach a later subscriber.
            precondition(Receiver(write()).wait())
            let subscription = Signals.observe(SIGPIPE, scheduler: scheduler).subscribe(onNext: { _ in count.increment()
            })
            if hasDefault { signal(SIGPIPE, SIG_DFL) }
            let receiver = Receiver(write())
            precondition(receiver.wait() && (receiver.error as? IOError)?.code == EPIPE)
            precondition(count.value == 0)
            if !hasDefault {
                kill(getpid(), SIGPIPE)
                precondition(soon { count.value == 1 })
            }
            subscription.dispose()
            exit(0)
        }
    }
}
