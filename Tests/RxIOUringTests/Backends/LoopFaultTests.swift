// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct LoopFaultTests {
    private func tiny(_ backend: Backend) -> IOUringScheduler.Configuration {
        .init(backend: backend, submissions: 2, completions: 2)
    }

    /// The fault: hundreds of completions at once, where the completion queue holds two, or hundreds of events, of which epoll
    /// reports 64 at a time.
    @Test("Completions beyond the capacity of the completion queue are not lost", arguments: Backend.built)
    func completions(_ backend: Backend) throws {
        try onLoop(tiny(backend)) { scheduler in
            let pipes = try (0..<300).map { _ in try DescriptorStream.makePipe() }
            let receivers = pipes.map {
                Receiver(
                    DescriptorStream.read($0.readEnd, closesWhenDone: true, chunkSize: 16, scheduler: scheduler)
                        .map(String.init(_:)))
            }
            for round in 0..<5 {
                let gate = OneShot()
                #expect(scheduler.performAndWait { true })
                _ = scheduler.schedule(()) {
                    _ = gate.wait()
                    return Disposables.create()
                }
                for (number, pipe) in pipes.enumerated() {
                    let text = "\(number)."
                    write(pipe.writeEnd, text, text.utf8.count)
                }
                gate.fire()
                for (number, receiver) in receivers.enumerated() {
                    let text = String(repeating: "\(number).", count: round + 1)
                    #expect(soon { receiver.elements.joined() == text })
                }
            }
            for pipe in pipes { close(pipe.writeEnd) }
            for (number, receiver) in receivers.enumerated() {
                #expect(receiver.wait() && receiver.isCompleted)
                #expect(receiver.elements.joined() == String(repeating: "\(number).", count: 5))
            }
        }
    }

    /// The fault: hundreds of submissions in one turn of the loop, where the submission queue holds two.
    @Test("Submissions beyond the capacity of the submission queue are not lost", arguments: Backend.built)
    func submissions(_ backend: Backend) throws {
        try onLoop(tiny(backend)) { scheduler in
            let path = FileManager.default.temporaryDirectory.path + "/rx-fault-\(getpid())-\(UUID().uuidString)"
            try Data(repeating: 5, count: 10_000).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            let receivers = scheduler.performAndWait {
                (0..<400).map { _ in
                    Receiver(File.read(path, chunkSize: 3_000, scheduler: scheduler).map(\.count))
                }
            }
            for receiver in receivers {
                #expect(receiver.wait() && receiver.isCompleted)
                #expect(receiver.elements == [3_000, 3_000, 3_000, 1_000])
            }
        }
    }

    /// The fault: hundreds of cancellations in one turn, of operations that wait, were just submitted, or never reached the
    /// kernel.
    @Test("Cancellations beyond the capacity of the submission queue are not lost", arguments: Backend.built)
    func cancellations(_ backend: Backend) throws {
        try onLoop(tiny(backend)) { scheduler in
            for _ in 0..<5 {
                let pipes = try (0..<200).map { _ in try DescriptorStream.makePipe() }
                nonisolated(unsafe) var receivers: [Receiver<ByteChunk>] = []
                scheduler.performAndWait {
                    receivers = pipes[..<100].map {
                        Receiver(DescriptorStream.read($0.readEnd, closesWhenDone: true, scheduler: scheduler))
                    }
                }
                #expect(scheduler.performAndWait { true })
                scheduler.performAndWait {
                    receivers += pipes[100...].map {
                        Receiver(DescriptorStream.read($0.readEnd, closesWhenDone: true, scheduler: scheduler))
                    }
                    for receiver in receivers { receiver.dispose() }
                }
                for receiver in receivers { #expect(receiver.wait()) }
                #expect(soon { pipes.allSatisfy { fcntl($0.readEnd, F_GETFD) < 0 } })
                for pipe in pipes { close(pipe.writeEnd) }
            }
        }
    }

    /// The fault: signals interrupt the loop thread all the time, and their handler does not restart system calls.
    @Test("Signals that interrupt the loop thread all the time lose no event", arguments: Backend.built)
    func signalStorm(_ backend: Backend) throws {
        #expect(rx_test_interrupt_by(SIGUSR1) == 0)
        defer { signal(SIGUSR1, SIG_DFL) }
        try onLoop(backend) { scheduler in
            let thread = scheduler.performAndWait { pthread_self() }
            let isOver = AtomicCounter(0)
            let stormEnded = OneShot()
            Thread.detachNewThread {
                while isOver.value == 0 {
                    pthread_kill(thread, SIGUSR1)
                    sched_yield()
                }
                stormEnded.fire()
            }
            let (readEnd, writeEnd) = try DescriptorStream.makePipe(capacity: 4096)
            let chunks = (0..<20).map { ByteChunk([UInt8](repeating: UInt8($0), count: 10_000)) }
            let receiver = DescriptorStream.read(
                readEnd, closesWhenDone: true, chunkSize: 700, scheduler: scheduler
            ).received()
            let written = Receiver(
                DescriptorStream.write(.from(chunks), to: writeEnd, closesWhenDone: true, scheduler: scheduler)
                    .asObservable())
            let ticks = Receiver(Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(100))
            let file = Receiver(File.read("/proc/self/status", chunkSize: 50, scheduler: scheduler).map(\.count))
            let children = (0..<10).map { number in
                Receiver(
                    ChildProcess.run(
                        "/bin/sh", arguments: ["-c", "echo \(number); exit \(number)"], scheduler: scheduler))
            }
            #expect(written.wait() && written.isCompleted)
            #expect(receiver.wait() && receiver.bytes == chunks.flatMap { Array($0) })
            #expect(ticks.wait() && ticks.elements.count == 100)
            #expect(file.wait() && file.isCompleted)
            for (number, child) in children.enumerated() {
                #expect(child.wait() && child.elements.last == .exited(status: CInt(number)))
            }
            isOver.increment()
            #expect(stormEnded.wait())
        }
    }
}
