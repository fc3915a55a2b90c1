// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// FIFOs that others use, too: what was ready may not be ready any more when the loop reads or writes.
@Suite struct FIFOTests {
    /// The fault: epoll asked whether the FIFO was ready, and the loop waited in `read` for what another one had read meanwhile.
    @Test("A FIFO that others read keeps no loop", arguments: Backend.withoutFaults)
    func read(_ backend: Backend) throws {
        try withFIFO(backend) { fifo, scheduler in
            let received = AtomicCounter(0)
            let subscription = DescriptorStream.read(fifo, scheduler: scheduler).subscribe(onNext: { chunk in
                received.add(chunk.count)
            })
            let isOver = AtomicCounter(0)
            let other = DispatchGroup()
            other.onThread {
                var byte: UInt8 = 0
                while isOver.value == 0 {
                    if isReady(fifo, POLLIN) { _ = Glibc.read(fifo, &byte, 1) }
                }
            }
            for round in 0..<10_000 {
                Glibc.write(fifo, "x", 1)
                if round % 4 == 0 { usleep(20) }
                if !answers(scheduler) { break }
            }
            isOver.increment()
            // For the thread that waits in `read`, unless the loop is faster.
            let hasEnded = soon {
                Glibc.write(fifo, "xx", 2)
                return other.wait(timeout: .now() + .milliseconds(5)) == .success
            }
            #expect(hasEnded && received.value > 0)
            subscription.dispose()
        }
    }

    /// The fault: the same in `write`, for the room that another one had filled.
    @Test("A FIFO that others fill keeps no loop", arguments: Backend.withoutFaults)
    func write(_ backend: Backend) throws {
        try withFIFO(backend) { fifo, scheduler in
            let bytes = [UInt8](repeating: 97, count: 4_096)
            let subscription = DescriptorStream.write(
                .repeatElement(ByteChunk(bytes), scheduler: scheduler), to: fifo, scheduler: scheduler
            ).subscribe()
            let isOver = AtomicCounter(0)
            let other = DispatchGroup()
            other.onThread {
                while isOver.value == 0 {
                    if isReady(fifo, POLLOUT) { Glibc.write(fifo, bytes, bytes.count) }
                }
            }
            var buffer = bytes
            for round in 0..<20_000 {
                if isReady(fifo, POLLIN) { _ = Glibc.read(fifo, &buffer, buffer.count) }
                if round % 8 > 0 { continue }
                usleep(20)
                if !answers(scheduler) { break }
            }
            isOver.increment()
            // For those that wait in `write`.
            #expect(
                waitUntil {
                    if isReady(fifo, POLLIN) { _ = Glibc.read(fifo, &buffer, buffer.count) }
                    return other.wait(timeout: .now()) == .success
                })
            subscription.dispose()
        }
    }

    private func answers(_ scheduler: IOUringScheduler) -> Bool {
        let ran = OneShot()
        _ = scheduler.schedule(()) { _ in
            ran.fire()
            return Disposables.create()
        }
        let isAnswered = ran.wait(seconds: 5)
        #expect(isAnswered, "the loop does nothing")
        return isAnswered
    }

    /// Opens a FIFO as a shell does: calls on it wait.
    private func withFIFO(_ backend: Backend, _ body: (CInt, IOUringScheduler) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "rx-fifo-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try #require(mkfifo(path, 0o600) == 0)
        let fifo = open(path, O_RDWR | O_CLOEXEC)
        unlink(path)
        let scheduler = IOUringScheduler(name: "test.fifo", backend: backend)
        try body(fifo, scheduler)
        scheduler.shutdown()
        close(fifo)
    }
}

/// Asks for readiness, as other programs do before they read or write, and wait then.
private func isReady(_ fd: CInt, _ events: CInt) -> Bool {
    var entry = pollfd(fd: fd, events: Int16(events), revents: 0)
    return poll(&entry, 1, 10) > 0
}
