// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
@preconcurrency import RxIOUring
import RxSwift
import TestSupport
import Testing

/// A terminal reports that it can be written to, or read, and then makes the caller wait: a loop that writes more than there is room for
/// would be stuck in the kernel, where neither a dispose nor a shutdown reaches it.
@Suite struct TerminalTests {
    enum Use: CaseIterable, Sendable {
        case fileWrite, openFileWrite, openFileAppend, fileRead, write, writeToOtherSide, read, readOtherSide

        func end(_ terminal: Terminal, _ scheduler: IOUringScheduler) -> Observable<Int> {
            let bytes = ByteChunk([UInt8](repeating: 97, count: 300_000))
            let name = terminal.name
            switch self {
            case .fileWrite:
                return File.write(.just(bytes), to: name, scheduler: scheduler).asObservable().map { Int($0) }
            case .openFileWrite:
                return File.open(name, scheduler: scheduler).asObservable().flatMap { $0.write(bytes).asObservable() }
                    .map { _ in 0 }
            case .openFileAppend:
                return File.open(name, mode: .append, scheduler: scheduler).asObservable().flatMap { file in
                    file.append(bytes)
                    return Observable<Int>.never().do(onDispose: { withExtendedLifetime(file) {} })
                }
            case .fileRead: return File.read(name, scheduler: scheduler).map(\.count)
            case .write:
                return DescriptorStream.write(.just(bytes), to: terminal.side, scheduler: scheduler).asObservable()
                    .map { _ in 0 }
            case .writeToOtherSide:
                return DescriptorStream.write(.just(bytes), to: terminal.otherSide, scheduler: scheduler).asObservable()
                    .map { _ in 0 }
            case .read: return DescriptorStream.read(terminal.side, scheduler: scheduler).map(\.count)
            case .readOtherSide: return DescriptorStream.read(terminal.otherSide, scheduler: scheduler).map(\.count)
            }
        }
    }

    /// Both ends of a pseudo-terminal, which passes bytes as they are.
    final class Terminal: @unchecked Sendable {
        private(set) var side: CInt = -1
        private(set) var otherSide: CInt = -1
        let name: String

        init() throws {
            try #require(rx_test_make_terminal(&side, &otherSide) == 0)
            name = String(cString: ttyname(side))
            var settings = termios()
            tcgetattr(side, &settings)
            cfmakeraw(&settings)
            tcsetattr(side, TCSANOW, &settings)
        }

        deinit {
            close(side)
            close(otherSide)
        }
    }

    private func expectBeats(_ scheduler: IOUringScheduler) {
        for _ in 0..<5 {
            usleep(10_000)
            let ran = OneShot()
            scheduler.run { ran.fire() }
            #expect(ran.wait(seconds: 5))
        }
    }

    /// Uses a terminal whose other side does nothing.
    private func using(
        _ use: Use, _ backend: Backend, _ body: (IOUringScheduler, Receiver<Int>) throws -> Void
    ) throws {
        try leavingNothingBehind {
            let terminal = try Terminal()
            let scheduler = IOUringScheduler(backend: backend)
            try body(scheduler, Receiver(use.end(terminal, scheduler)))
        }
    }

    @Test("A terminal whose other side does nothing keeps no loop", arguments: Backend.built, Use.allCases)
    func idleOtherSide(_ backend: Backend, _ use: Use) throws {
        try using(use, backend) { scheduler, receiver in
            expectBeats(scheduler)
            #expect(receiver.error == nil && !receiver.isCompleted)
            receiver.dispose()
            #expect(receiver.wait(seconds: 5))
            expectBeats(scheduler)
            scheduler.shutdown(draining: .milliseconds(10))
        }
    }

    @Test("A shutdown ends work on a terminal whose other side does nothing", arguments: Backend.built, Use.allCases)
    func shutdown(_ backend: Backend, _ use: Use) throws {
        try using(use, backend) { scheduler, receiver in
            usleep(20_000)
            scheduler.shutdown(draining: .milliseconds(10))
            // A file that is held open is not ended by that.
            if use != .openFileAppend {
                let error = try #require(receiver.error)
                #expect(code(error) == ECANCELED)
            }
            receiver.dispose()
        }
    }

    @Test("Bytes pass between a terminal's sides in both directions", arguments: Backend.built)
    func bothDirections(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let terminal = try Terminal()
            let bytes = pattern(100_000)
            let pairs = [(terminal.side, terminal.otherSide), (terminal.otherSide, terminal.side)]
            for (from, to) in pairs {
                let received = AtomicCounter(0)
                let isSame = Guarded(true)
                let reader = DescriptorStream.read(to, scheduler: scheduler).subscribe(onNext: { chunk in
                    for byte in chunk {
                        if received.value >= bytes.count || byte != bytes[received.value] { isSame.value = false }
                        received.increment()
                    }
                })
                let written = Receiver(
                    DescriptorStream.write(.just(ByteChunk(bytes)), to: from, scheduler: scheduler).asObservable())
                #expect(written.wait() && written.isCompleted)
                #expect(waitUntil { received.value == bytes.count }, "\(received.value)")
                #expect(isSame.value)
                reader.dispose()
            }
        }
    }

    /// As after `su`: the terminal is another user's, and the program may only use the descriptors that it was given.
    @Test(
        "A terminal that may not be opened anew keeps no loop", .enabled(if: getuid() == 0, "for root"),
        arguments: Backend.built)
    func foreignTerminal(_ backend: Backend) throws {
        let terminal = try Terminal()
        fchmod(terminal.side, 0o600)
        let isOver = OneShot()
        Thread.detachNewThread {
            // The loop thread inherits this thread's user.
            rx_test_become_user(1_234)
            let scheduler = IOUringScheduler(backend: backend)
            let receiver = Receiver(Use.write.end(terminal, scheduler))
            self.expectBeats(scheduler)
            receiver.dispose()
            #expect(receiver.wait(seconds: 5))
            scheduler.shutdown()
            isOver.fire()
        }
        #expect(isOver.wait(seconds: 30))
    }
}
