// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import CTestSupport
import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// A process that forks while it has loops. After `fork` in a process with threads little is safe, so children do as little
/// as they can, and answer with their exit status. The tests do not run under ThreadSanitizer, because a child may find locks of
/// its runtime held.
@Suite(.enabled(if: !hasThreadSanitizer)) struct ForkTests {
    private func status(of pid: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    }

    /// The fault: a forked child has the loop's ring, its descriptors and its memory, and ends.
    @Test("A child that uses no loop leaves the parent's loop intact", arguments: Backend.built)
    func idleChild(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let receiver = DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: scheduler).received()
            let ticks = Receiver(
                Observable<Int>.interval(.milliseconds(2), scheduler: scheduler).take(200))
            #expect(scheduler.performAndWait { true })
            for round in 0..<20 {
                let pid = rx_fork()
                if pid == 0 { _exit(7) }
                write(writeEnd, "x", 1)
                #expect(status(of: pid) == 7)
                #expect(soon { receiver.bytes.count == round + 1 })
                #expect(scheduler.performAndWait { true })
            }
            close(writeEnd)
            #expect(receiver.wait() && receiver.isCompleted)
            #expect(ticks.wait() && ticks.elements == Array(0..<200))
        }
    }

    /// The fault: the child's copy of the listener removed the file, under which the parent listened.
    @Test("The file of a listener stays when a forked child releases it") func listeningFile() throws {
        let folder = TemporaryFolder()
        try onLoop(Backend.built[0]) { scheduler in
            let listener = try Unix.listener(path: folder["socket"], scheduler: scheduler)
            let pid = rx_fork()
            if pid == 0 {
                listener.close()
                _exit(7)
            }
            #expect(status(of: pid) == 7)
            #expect(folder.names == ["socket"])
            listener.close()
            #expect(soon { folder.names.isEmpty })
        }
    }

    /// The fault: another thread had the lock of the handlers at the fork, and is missing in the child.
    @Test("A child observes signals though another thread did so at the fork") func signals() {
        onLoop(Backend.built[0]) { scheduler in
            let isOver = AtomicCounter(0)
            let busy = AtomicCounter(0)
            for _ in 0..<2 {
                Thread.detachNewThread {
                    busy.increment()
                    while isOver.value == 0 {
                        Signals.observe(SIGUSR2, scheduler: scheduler).subscribe(onError: { _ in }).dispose()
                    }
                    busy.increment()
                }
            }
            #expect(soon { busy.value == 2 })
            for _ in 0..<50 {
                let pid = rx_fork()
                if pid == 0 {
                    rx_test_end_after(5)
                    var error: CInt = 0
                    let watch = rx_signal_watch_make(SIGUSR1, 1, &error)
                    _exit(watch != nil ? 42 : 1)
                }
                #expect(status(of: pid) == 42)
            }
            isOver.increment()
            #expect(soon { busy.value == 4 })
        }
    }

    /// The fault: the child connected the socket that it shares with its parent, which heard nobody else any more.
    @Test("A child does not connect its parent's socket", arguments: Backend.built)
    func connectedSocket(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            let other = try UDP.bind(port: 0, scheduler: scheduler)
            let address = other.address
            let pid = rx_fork()
            if pid == 0 {
                do {
                    try socket.connect(to: address)
                    _exit(1)
                } catch {
                    _exit(42)
                }
            }
            #expect(status(of: pid) == 42)
            socket.close()
            other.close()
        }
    }

    /// The fault: the child's datagrams counted as sent.
    @Test("A child's datagrams are rejected", arguments: Backend.built) func datagrams(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            let address = socket.address
            let pid = rx_fork()
            if pid == 0 {
                let told = AtomicCounter(0)
                IOHooks.sendRejectedHandler = { error, _ in if error.code == ECANCELED { told.increment() } }
                let isSent = socket.send(ByteChunk("x"), to: address)
                _exit(!isSent && told.value == 1 ? 42 : 1)
            }
            #expect(status(of: pid) == 42)
            socket.close()
        }
    }

    /// The fault: the child has none of the pool's threads, and may find its lock held.
    @Test("A child's pool forgets the work of its parent, and starts threads of its own")
    func blockingPool() {
        let pool = BlockingPool.deliveries
        let isOver = AtomicCounter(0)
        defer { isOver.increment() }
        let busy = AtomicCounter(0)
        let churn: @Sendable () -> Void = {
            busy.increment()
            while isOver.value == 0 { _ = pool.run {} }
        }
        for _ in 0..<2 { Thread.detachNewThread(churn) }
        #expect(soon { busy.value == 2 })
        for _ in 0..<20 {
            let pid = rx_fork()
            if pid == 0 {
                rx_test_end_after(20)
                let ran = AtomicCounter(0)
                for _ in 0..<3 { _ = pool.run { ran.increment() } }
                while ran.value < 3 { usleep(100) }
                _exit(pool.threadCount <= 3 ? 42 : 1)
            }
            #expect(status(of: pid) == 42)
        }
    }

    /// The fault: the child has no thread of the loop, which sleeps in the parent.
    @Test("The work of a child for a sleeping loop of its parent is rejected", arguments: Backend.built)
    func sleepingLoop(_ backend: Backend) {
        let before = Hooks.workRejectedHandler
        nonisolated(unsafe) let word = Unmanaged.passRetained(Flag())
        Hooks.workRejectedHandler = { _, count in word._withUnsafeGuaranteedRef { $0.add(count) } }
        defer { Hooks.workRejectedHandler = before }
        onLoop(backend) { scheduler in
            let warm = IOUringScheduler(backend: backend)
            warm.shutdown()
            // Everything that the child will run has run once.
            _ = warm.schedule(()) { Disposables.create() }
            #expect(word._withUnsafeGuaranteedRef { $0.value } == 1)
            for _ in 0..<5 {
                #expect(scheduler.performAndWait { true })
                // The loop goes to sleep when it has been idle for that time.
                usleep(20_000)
                let pid = rx_fork()
                if pid == 0 {
                    rx_test_end_after(20)
                    _ = scheduler.schedule(()) { Disposables.create() }
                    _exit(word._withUnsafeGuaranteedRef { $0.value } == 2 ? 42 : 1)
                }
                #expect(status(of: pid) == 42)
                #expect(scheduler.performAndWait { true })
            }
            #expect(word._withUnsafeGuaranteedRef { $0.value } == 1)
        }
        word.release()
    }

    /// The fault: the child has no thread of the loop, and does not try to wake it, because the loop was awake at the fork.
    @Test("The work of a child for an awake loop of its parent is rejected", arguments: Backend.built, [false, true])
    func awakeLoop(_ backend: Backend, _ hasPending: Bool) {
        let before = Hooks.workRejectedHandler
        nonisolated(unsafe) let word = Unmanaged.passRetained(Flag())
        Hooks.workRejectedHandler = { _, count in word._withUnsafeGuaranteedRef { $0.add(count) } }
        defer { Hooks.workRejectedHandler = before }
        onLoop(backend) { scheduler in
            let errors = AtomicCounter(0)
            let work: @Sendable (IOUringScheduler) -> Void = { scheduler in
                _ = scheduler.schedule(()) { Disposables.create() }
                _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { Disposables.create() }
                Observable.just(1).observe(on: scheduler).subscribe().dispose()
                _ = Signals.observe(SIGUSR2, scheduler: scheduler).subscribe(onError: { _ in errors.increment() })
            }
            let warm = IOUringScheduler(backend: backend)
            warm.shutdown()
            // Everything that the child will run has run once.
            work(warm)
            #expect(soon { errors.value == 1 })
            let perRound = word._withUnsafeGuaranteedRef { $0.value }
            #expect(perRound >= 2)
            let ran = AtomicCounter(0)
            for round in 0..<5 {
                let (isBusy, isForked) = (OneShot(), OneShot())
                scheduler.run {
                    // The batch that the loop has taken contains this action.
                    scheduler.run { ran.increment() }
                    isBusy.fire()
                    _ = isForked.wait()
                }
                #expect(isBusy.wait())
                // The loop has not taken this action at the fork.
                if hasPending { scheduler.run { ran.increment() } }
                let pid = rx_fork()
                if pid == 0 {
                    rx_test_end_after(20)
                    work(scheduler)
                    let rejected = word._withUnsafeGuaranteedRef { $0.value }
                    _exit(rejected == 2 * perRound && errors.value == 2 ? 42 : CInt(rejected) << 2 | CInt(errors.value))
                }
                #expect(status(of: pid) == 42)
                isForked.fire()
                #expect(scheduler.performAndWait { true })
                #expect(ran.value == (round + 1) * (hasPending ? 2 : 1))
            }
            #expect(word._withUnsafeGuaranteedRef { $0.value } == perRound)
        }
        word.release()
    }

    /// The fault: a job that waits for the parent's loop counts as waiting in the child, too, where posts are lost.
    @Test("A child's post of a job that waits in the parent is rejected", arguments: Backend.built)
    func reusableJob(_ backend: Backend) {
        let before = Hooks.workRejectedHandler
        nonisolated(unsafe) let word = Unmanaged.passRetained(Flag())
        Hooks.workRejectedHandler = { _, count in word._withUnsafeGuaranteedRef { $0.add(count) } }
        defer { Hooks.workRejectedHandler = before }
        onLoop(backend) { scheduler in
            // Everything that the child will run has run once.
            let warm = IOUringScheduler(backend: backend)
            let warmJob = warm.makeJob {}
            warm.shutdown()
            warmJob.post()
            #expect(word._withUnsafeGuaranteedRef { $0.value } == 1)
            let ran = AtomicCounter(0)
            let job = scheduler.makeJob { ran.increment() }
            for round in 0..<5 {
                let (isBusy, isForked) = (OneShot(), OneShot())
                scheduler.run {
                    isBusy.fire()
                    _ = isForked.wait()
                }
                #expect(isBusy.wait())
                job.post()
                let pid = rx_fork()
                if pid == 0 {
                    rx_test_end_after(20)
                    job.post()
                    job.post()
                    _exit(word._withUnsafeGuaranteedRef { $0.value } == 3 ? 42 : 1)
                }
                #expect(status(of: pid) == 42)
                isForked.fire()
                #expect(scheduler.performAndWait { true })
                #expect(ran.value == round + 1)
            }
        }
        word.release()
    }

    /// The fault: the child finds the registry of loops locked, without a thread that could unlock it.
    @Test("A fork races with loops that come and go", arguments: Backend.built)
    func forkRace(_ backend: Backend) {
        let isOver = AtomicCounter(0)
        race(
            {
                for _ in 0..<200 {
                    let pid = rx_fork()
                    if pid == 0 {
                        rx_test_end_after(20)
                        _exit(rx_forks() > 0 ? 7 : 1)
                    }
                    #expect(status(of: pid) == 7)
                }
                isOver.increment()
            },
            {
                while isOver.value == 0 {
                    let scheduler = IOUringScheduler(backend: backend)
                    scheduler.run {}
                    scheduler.shutdown()
                }
            })
    }

    /// The fault: a forked child that observes signals itself finds the parent's handlers and watches.
    @Test("A child observes its own signals", arguments: Backend.built, [false, true])
    func ownSignals(_ backend: Backend, _ raisesOther: Bool) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Signals.observe(SIGUSR1, SIGUSR2, scheduler: scheduler))
            let pid = rx_fork()
            if pid == 0 {
                rx_test_end_after(20)
                let counter = rx_eventfd_make()
                var error: CInt = 0
                _ = rx_signal_watch_make(SIGUSR2, counter, &error)
                rx_test_raise(SIGUSR2)
                // The child does not observe this signal, which ends it.
                if raisesOther { rx_test_raise(SIGUSR1) }
                var count: UInt64 = 0
                read(counter, &count, 8)
                _exit(error == 0 ? CInt(count) : 99)
            }
            #expect(status(of: pid) == (raisesOther ? -SIGUSR1 : 1))
            #expect(scheduler.performAndWait { true })
            #expect(receiver.elements == [])
            rx_test_raise(SIGUSR2)
            #expect(soon { receiver.elements == [SIGUSR2] })
            receiver.dispose()
            #expect(receiver.wait())
        }
    }

    /// The fault: a signal for a forked child, which has the handler and shares its descriptors.
    @Test("A signal of a child does not reach the parent", arguments: Backend.built)
    func childSignals(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Signals.observe(SIGTERM, scheduler: scheduler))
            #expect(scheduler.performAndWait { true })
            let pid = rx_fork()
            if pid == 0 {
                rx_test_raise(SIGTERM)
                _exit(1)
            }
            #expect(status(of: pid) == -SIGTERM)
            #expect(scheduler.performAndWait { true })
            #expect(receiver.elements == [])
            receiver.dispose()
            #expect(receiver.wait())
        }
    }

    private final class Flag {
        private let word = AtomicWord(0)
        var value: UInt { word.loadAcquiring() }
        func add(_ count: Int) { _ = word.fetchAdd(UInt(count)) }
    }
}
