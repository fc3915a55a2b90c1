// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    static func shell(
        _ script: String, input: Observable<ByteChunk>? = nil, whenDisposed: ChildProcess.Disposal = .kill,
        window: Int = 2, byThread: Bool = false, _ scheduler: IOUringScheduler
    ) -> Observable<ChildProcess.Event> {
        ChildProcess.run(
            ChildProcess.Command(executable: "/bin/sh", arguments: ["-c", script]), input: input,
            whenDisposed: whenDisposed, window: window, awaitsEndByThread: byThread, scheduler: scheduler)
    }

    /// Receives copies of the chunks, so that the stream gets its memory back.
    static func received(_ events: Observable<ChildProcess.Event>) -> Receiver<ChildProcess.Event> {
        Receiver(
            events.map { event in
                switch event {
                case .output(let chunk): .output(chunk.withUnsafeBytes { ByteChunk(copying: $0) })
                case .errorOutput(let chunk): .errorOutput(chunk.withUnsafeBytes { ByteChunk(copying: $0) })
                default: event
                }
            })
    }

    /// True if there is no such process, not even a zombie.
    static func isGone(_ pid: CInt) -> Bool { kill(pid, 0) != 0 && errno == ESRCH }

    @Test("The start comes first and the exit last", arguments: Backend.built, [false, true])
    func eventOrder(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            let script = "echo out; echo error >&2; exit 3"
            let receiver = Self.received(Self.shell(script, byThread: byThread, scheduler))
            #expect(receiver.wait() && receiver.isCompleted)
            let kinds = receiver.elements.map { event in
                switch event {
                case .started(let pid): pid > 0 ? "started" : "?"
                case .output, .errorOutput: "output"
                case .exited(let status): "exited \(status)"
                case .signalled(let signal): "signalled \(signal)"
                }
            }
            #expect(kinds.first == "started")
            #expect(kinds.dropFirst().dropLast().allSatisfy { $0 == "output" })
            #expect(kinds.last == "exited 3")
            #expect(receiver.output == "out\n" && receiver.errorOutput == "error\n")
            #expect(zombies() == [])
        }
    }

    /// The fault: the loop waited for the system to load the program, which it does when the lease is given up.
    @Test("A program that cannot be loaded yet does not hold the loop", arguments: Backend.built)
    func leasedProgram(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        let path = folder.put(Array("#!/bin/sh\nsleep 100\n".utf8), into: "program")
        chmod(path, 0o755)
        try onLoop(backend) { scheduler in
            // Not for writing: the system runs no program that is open for that.
            let lease = open(path, O_RDONLY | O_CLOEXEC)
            let setSignal: CInt = 10
            let setLease: CInt = 1_024
            // By default nothing happens upon this one.
            #expect(fcntl(lease, setSignal, SIGURG) == 0)
            try #require(fcntl(lease, setLease, F_WRLCK) == 0)
            let receivers = (0..<2).map { _ in
                Self.received(ChildProcess.run(path, whenDisposed: .kill, scheduler: scheduler))
            }
            usleep(20_000)
            #expect(scheduler.performAndWait { true })
            #expect(receivers.allSatisfy { $0.elements.isEmpty })
            receivers[0].dispose()
            #expect(fcntl(lease, setLease, F_UNLCK) == 0)
            close(lease)
            #expect(soon { receivers[1].elements.count == 1 })
            #expect(receivers[0].elements.isEmpty)
            receivers[1].dispose()
        }
        #expect(soon { zombies() == [] })
    }

    @Test("The last event follows all output", arguments: Backend.built)
    func lastEvent(_ backend: Backend) {
        onLoop(backend) { scheduler in
            for _ in 0..<20 {
                var bytes = 0
                // The program waits for its own child, which writes.
                let receiver = Receiver(
                    Self.shell("(sleep 0.02; head -c 300000 /dev/zero) & wait; exit 0", scheduler)
                ) { event in
                    if case .output(let chunk) = event { bytes += chunk.count }
                    if case .exited = event { #expect(bytes == 300_000) }
                    return false
                }
                #expect(receiver.wait() && receiver.isCompleted)
                #expect(bytes == 300_000)
            }
        }
    }

    @Test("A slow consumer stops the program", arguments: Backend.built)
    func slowConsumer(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let queue = BlockedQueue()
            let pid = Guarded<CInt>(0)
            let emitted = Guarded(0)
            let receiver = Receiver(
                ChildProcess.run(
                    "/usr/bin/head", arguments: ["-c", "20000000", "/dev/zero"], chunkSize: 65_536, window: 2,
                    scheduler: scheduler
                )
                .do(onNext: { event in
                    switch event {
                    case .started(let number): pid.value = number
                    case .output(let chunk): emitted.change { $0 += chunk.count }
                    default: break
                    }
                })
                .observe(on: queue.scheduler))
            #expect(soon { emitted.value > 0 })
            // The hop and the pipe are full, and the program sleeps in its write.
            #expect(
                soon {
                    (try? String(contentsOfFile: "/proc/\(pid.value)/stat", encoding: .utf8))?.contains(") S ") == true
                })
            usleep(50_000)
            #expect(emitted.value < 3 << 20)
            queue.open()
            #expect(receiver.wait())
            var total = 0
            for event in receiver.elements { if case .output(let chunk) = event { total += chunk.count } }
            #expect(receiver.elements.last == .exited(status: 0) && total == 20_000_000)
        }
    }

    @Test("The input reaches the program", arguments: Backend.built)
    func input(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let chunks = (0..<100).map { number in ByteChunk([UInt8](repeating: UInt8(number), count: 10_000)) }
            let output = Receiver(
                ChildProcess.output("cat", input: .from(chunks), scheduler: scheduler).asObservable())
            #expect(output.wait())
            #expect(output.elements.first?.output == chunks.flatMap { Array($0) })
            #expect(output.elements.first?.status == 0)
            // Another thread sends input while the program runs.
            let subject = PublishSubject<ByteChunk>()
            let receiver = Self.received(Self.shell("cat", input: subject, scheduler))
            subject.onNext(ByteChunk("first"))
            #expect(soon { receiver.output == "first" })
            subject.onNext(ByteChunk("second"))
            #expect(soon { receiver.output == "firstsecond" })
            subject.onCompleted()
            #expect(receiver.wait() && receiver.elements.last == .exited(status: 0))
        }
    }

    /// The fault: a program that reads no input, and ends before the input is written.
    @Test("Input that the program does not read is dropped", arguments: Backend.built)
    func unreadInput(_ backend: Backend) {
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        onLoop(backend) { scheduler in
            let source = PublishSubject<ByteChunk>()
            let receiver = Receiver(Self.shell("exec <&-; sleep 0.1; exit 5", input: source, scheduler))
            for _ in 0..<50 { source.onNext(ByteChunk([UInt8](repeating: 1, count: 10_000))) }
            #expect(receiver.wait())
            #expect(receiver.elements.last == .exited(status: 5))
            #expect(soon { !source.hasObservers })
            let empty = Receiver(Self.shell("cat; exit 4", scheduler))
            #expect(empty.wait() && empty.elements.count == 2)
            #expect(empty.elements.last == .exited(status: 4))
            let failing = Receiver(Self.shell("sleep 100", input: .error(Failure.expected), scheduler))
            #expect(failing.wait())
            #expect(failing.error as? Failure == .expected)
            #expect(soon { zombies().isEmpty })
        }
    }

    @Test("The last event holds the exit status", arguments: Backend.built, [0, 1, 127, 255])
    func exitStatus(_ backend: Backend, _ status: CInt) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Self.shell("exit \(status)", scheduler))
            #expect(receiver.wait() && receiver.elements.last == .exited(status: status))
        }
    }

    @Test(
        "The last event holds the signal that ended the program",
        arguments: Backend.built, [SIGTERM, SIGKILL, SIGABRT, SIGPIPE])
    func endingSignal(_ backend: Backend, _ number: CInt) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(Self.shell("kill -\(number) $$; sleep 10", scheduler))
            #expect(receiver.wait() && receiver.elements.last == .signalled(number))
        }
    }

    @Test("Two hundred programs at once leave no process", arguments: Backend.built, [false, true])
    func twoHundred(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            let receivers = (0..<200).map { number in
                Receiver(Self.shell("echo \(number); exit \(number)", byThread: byThread, scheduler))
            }
            for (number, receiver) in receivers.enumerated() {
                #expect(receiver.wait(seconds: 120))
                #expect(receiver.output == "\(number)\n")
                #expect(receiver.elements.last == .exited(status: CInt(number)))
            }
            #expect(zombies() == [])
        }
    }

    /// A way to end a program, whose script obeys SIGTERM or ignores it.
    struct Ending: Sendable {
        let disposal: ChildProcess.Disposal
        let script: String

        static let all = [
            Ending(disposal: .kill, script: "echo; exec sleep 100"),
            Ending(disposal: .terminate(grace: .seconds(20)), script: "echo; exec sleep 100"),
            // One that is stopped would take no notice of SIGTERM alone.
            Ending(disposal: .terminate(grace: .seconds(20)), script: "echo; kill -STOP $$"),
            Ending(
                disposal: .terminate(grace: .milliseconds(50)),
                script: "trap '' TERM; echo; while :; do sleep 0.01; done"),
        ]
    }

    static let backendsAndWaits = Backend.built.flatMap { [($0, false), ($0, true)] }

    @Test("Disposing ends the program and reaps it", arguments: backendsAndWaits, Ending.all)
    func dispose(_ place: (backend: Backend, byThread: Bool), _ ending: Ending) {
        onLoop(place.backend) { scheduler in
            let receiver = Receiver(
                Self.shell(ending.script, whenDisposed: ending.disposal, byThread: place.byThread, scheduler))
            #expect(soon { receiver.elements.count == 2 })
            guard case .started(let pid)? = receiver.elements.first else { return }
            receiver.dispose()
            #expect(soon(seconds: 10) { Self.isGone(pid) })
            #expect(receiver.elements.count == 2)
        }
    }

    @Test("A shutdown ends the program and reaps it", arguments: Backend.built, [false, true])
    func shutdown(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                Self.shell(
                    "trap '' TERM; echo; while :; do sleep 0.01; done",
                    whenDisposed: .terminate(grace: .milliseconds(50)), byThread: byThread, scheduler))
            let disposed = Receiver(
                Self.shell(
                    "trap '' TERM; echo; while :; do sleep 0.01; done",
                    whenDisposed: .terminate(grace: .milliseconds(200)), byThread: byThread, scheduler))
            #expect(soon { receiver.elements.count == 2 && disposed.elements.count == 2 })
            disposed.dispose()
            scheduler.shutdown()
            #expect(receiver.wait())
            #expect((receiver.error as? IOError)?.code == ECANCELED)
            for case .started(let pid) in receiver.elements + disposed.elements {
                #expect(soon(seconds: 10) { Self.isGone(pid) })
            }
        }
    }

    @Test("Disposing races with the end of the program", arguments: Backend.built)
    func disposeRace(_ backend: Backend) {
        onLoop(backend) { scheduler in
            for round in 0..<stepCount(100, debug: 40) {
                let receiver = Receiver(Self.shell("exit 0", scheduler))
                usleep(UInt32(round * 37 % 3_000))
                receiver.dispose()
                #expect(receiver.wait())
            }
            #expect(soon { zombies().isEmpty })
        }
    }

    /// The subscriber's thread subscribes to the input, whose `subscribe` does not return by itself.
    @Test("An endless input ends with the program", arguments: Backend.built)
    func endlessInput(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                Self.shell("exit 0", input: .repeatElement(ByteChunk(EmptyCollection())), scheduler))
            #expect(receiver.wait() && receiver.isCompleted)
        }
    }

    @Test("A child that other code has reaped is an error", arguments: Backend.built)
    func reapedElsewhere(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let (hasStarted, gate) = (OneShot(), OneShot())
            nonisolated(unsafe) var child: CInt = 0
            let receiver = Receiver(Self.shell("exit 0", scheduler)) { event in
                if case .started(let pid) = event {
                    child = pid
                    hasStarted.fire()
                    _ = gate.wait()
                }
                return true
            }
            #expect(hasStarted.wait())
            var status: CInt = 0
            // Waits for this child only: a child that an earlier test has left to the loop may end now.
            #expect(soon { waitpid(child, &status, WNOHANG) == child })
            gate.fire()
            #expect(receiver.wait())
            #expect(receiver.error as? IOError == IOError(code: ECHILD, operation: "waitpid", subject: "/bin/sh"))
        }
    }
}

extension Receiver<ChildProcess.Event> {
    /// The text of all standard output, however it was divided.
    var output: String { text { if case .output(let chunk) = $0 { chunk } else { nil } } }
    var errorOutput: String { text { if case .errorOutput(let chunk) = $0 { chunk } else { nil } } }

    private func text(_ chunk: (ChildProcess.Event) -> ByteChunk?) -> String {
        String(decoding: elements.compactMap(chunk).flatMap { Array($0) }, as: UTF8.self)
    }
}
