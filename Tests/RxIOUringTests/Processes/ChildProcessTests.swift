import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    typealias Backend = IOUringScheduler.Backend

    static func shell(
        _ script: String, input: Observable<ByteChunk>? = nil, whenDisposed: ChildProcess.Disposal = .kill,
        window: Int = 2, byThread: Bool = false, _ scheduler: IOUringScheduler
    ) -> Observable<ChildProcess.Event> {
        ChildProcess.run(
            ChildProcess.Command(executable: "/bin/sh", arguments: ["-c", script]), input: input,
            whenDisposed: whenDisposed, window: window, awaitsEndByThread: byThread, scheduler: scheduler)
    }

    /// With copies of the chunks, so that the stream has its memory back.
    static func received(_ events: Observable<ChildProcess.Event>) -> Receiver<ChildProcess.Event> {
        Receiver(
            events.map { event in
                switch event {
                case .output(let chunk): .output(ByteChunk(Array(chunk)))
                case .errorOutput(let chunk): .errorOutput(ByteChunk(Array(chunk)))
                default: event
                }
            })
    }

    /// Whether there is no such process, not even a zombie.
    static func isGone(_ pid: CInt) -> Bool { kill(pid, 0) != 0 && errno == ESRCH }

    @Test(arguments: Backend.built, [false, true])
    func eventsComeInTheOrderOfALife(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            let script = "echo out; echo error >&2; exit 3"
            let receiver = Receiver(
                Self.shell(script, byThread: byThread, scheduler).map { event in
                    switch event {
                    case .started(let pid): return pid > 0 ? "started" : "?"
                    case .output(let chunk): return "output \(String(chunk))"
                    case .errorOutput(let chunk): return "error \(String(chunk))"
                    case .exited(let status): return "exited \(status)"
                    case .signalled(let signal): return "signalled \(signal)"
                    }
                })
            #expect(receiver.wait() && receiver.isCompleted)
            #expect(receiver.elements.count == 4)
            #expect(receiver.elements.first == "started")
            #expect(Set(receiver.elements) == ["started", "output out\n", "error error\n", "exited 3"])
            #expect(receiver.elements.last == "exited 3")
            #expect(zombies() == [])
        }
    }

    @Test(arguments: Backend.built)
    func theLastEventComesBehindAllOutput(_ backend: Backend) {
        onLoop(backend) { scheduler in
            for _ in 0..<20 {
                var bytes = 0
                // The program is gone long before its grandchild has written everything.
                let receiver = Receiver(
                    Self.shell("(sleep 0.02; head -c 300000 /dev/zero) & exit 0", scheduler)
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

    @Test(arguments: Backend.built)
    func aSlowConsumerStopsTheProgram(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                ChildProcess.run(
                    "/usr/bin/head", arguments: ["-c", "20000000", "/dev/zero"], chunkSize: 65_536, window: 2,
                    scheduler: scheduler))
            #expect(soon { receiver.elements.count == 3 })
            guard case .started(let pid)? = receiver.elements.first else {
                Issue.record("no start")
                return
            }
            // Its memory and the pipe's are all that is underway; the program sleeps in its write.
            #expect(
                soon { (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") S ") == true })
            usleep(50_000)
            #expect(receiver.elements.count == 3)
            var total = 0
            var hasExited = false
            while !hasExited, soon({ !receiver.elements.isEmpty }) {
                for event in receiver.take() {
                    if case .output(let chunk) = event { total += chunk.count }
                    hasExited = event == .exited(status: 0)
                }
            }
            #expect(hasExited && total == 20_000_000)
            #expect(receiver.wait())
        }
    }

    @Test(arguments: Backend.built)
    func inputReachesTheProgram(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let chunks = (0..<100).map { number in ByteChunk([UInt8](repeating: UInt8(number), count: 10_000)) }
            let output = Receiver(
                ChildProcess.output("cat", input: .from(chunks), scheduler: scheduler).asObservable())
            #expect(output.wait())
            #expect(output.elements.first?.output == chunks.flatMap { Array($0) })
            #expect(output.elements.first?.status == 0)
            // And from another thread, while it runs.
            let subject = PublishSubject<ByteChunk>()
            let receiver = Self.received(Self.shell("cat", input: subject, scheduler))
            subject.onNext(ByteChunk("first"))
            #expect(soon { receiver.elements.contains(.output(ByteChunk("first"))) })
            subject.onNext(ByteChunk("second"))
            #expect(soon { receiver.elements.contains(.output(ByteChunk("second"))) })
            subject.onCompleted()
            #expect(receiver.wait() && receiver.elements.last == .exited(status: 0))
        }
    }

    /// The fault: a program that reads nothing of its input, and ends before it was written.
    @Test(arguments: Backend.built)
    func inputThatIsNotReadIsDropped(_ backend: Backend) {
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

    @Test(arguments: Backend.built)
    func statusesAndSignalsAreTold(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            for status: CInt in [0, 1, 127, 255] {
                let receiver = Receiver(Self.shell("exit \(status)", scheduler))
                #expect(receiver.wait() && receiver.elements.last == .exited(status: status))
            }
            for signal in [SIGTERM, SIGKILL, SIGABRT, SIGPIPE] {
                let receiver = Receiver(Self.shell("kill -\(signal) $$; sleep 10", scheduler))
                #expect(receiver.wait() && receiver.elements.last == .signalled(signal))
            }
        }
    }

    /// The faults: no such program, no right to run it, no such folder, a zero in an argument.
    @Test(arguments: Backend.built)
    func whatCannotBeStartedIsAnErrorThatSaysWhat(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            func error(_ command: ChildProcess.Command) -> IOError? {
                let receiver = Receiver(ChildProcess.run(command, awaitsEndByThread: false, scheduler: scheduler))
                #expect(receiver.wait() && receiver.elements.isEmpty)
                return receiver.error as? IOError
            }
            let missing = "/nowhere/to/be/found"
            #expect(
                error(.init(executable: missing)) == IOError(code: ENOENT, operation: "posix_spawn", subject: missing))
            #expect(
                error(.init(executable: "rx-no-such-program"))
                    == IOError(code: ENOENT, operation: "posix_spawn", subject: "rx-no-such-program"))
            #expect(
                error(.init(executable: "/etc/passwd"))
                    == IOError(code: EACCES, operation: "posix_spawn", subject: "/etc/passwd"))
            #expect(
                error(.init(executable: "/bin/true", workingDirectory: missing))
                    == IOError(code: ENOENT, operation: "chdir", subject: missing))
            #expect(
                error(.init(executable: "/bin/true", arguments: ["a\0b"]))
                    == IOError(code: EINVAL, operation: "posix_spawn", subject: "/bin/true"))
            #expect(zombies() == [])
        }
    }

    @Test(arguments: Backend.built)
    func bothOutputsAndTheSignalAreCollected(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                ChildProcess.output(
                    "sh", arguments: ["-c", "echo out; echo error >&2; kill -KILL $$"], scheduler: scheduler
                ).asObservable())
            #expect(receiver.wait())
            let collected = receiver.elements.first
            #expect(collected.map { String(decoding: $0.output, as: UTF8.self) } == "out\n")
            #expect(collected.map { String(decoding: $0.errorOutput, as: UTF8.self) } == "error\n")
            #expect(collected?.signal == SIGKILL && collected?.status == nil)
        }
    }

    @Test(arguments: Backend.built)
    func environmentFolderAndDescriptorsAreAsAsked(_ backend: Backend) {
        onLoop(backend) { scheduler in
            func output(_ run: Single<ChildProcess.Output>) -> String? {
                let receiver = Receiver(run.asObservable())
                #expect(receiver.wait() && receiver.error == nil)
                return receiver.elements.first.map { String(decoding: $0.output, as: UTF8.self) }
            }
            #expect(output(ChildProcess.output("env", environment: ["A": "b c"], scheduler: scheduler)) == "A=b c\n")
            #expect(output(ChildProcess.output("pwd", workingDirectory: "/usr", scheduler: scheduler)) == "/usr\n")
            #expect(output(ChildProcess.output("echo", arguments: ["a", "", "b"], scheduler: scheduler)) == "a  b\n")
            // One that is not closed in programs that are run.
            let leaky = open("/dev/null", O_RDONLY)
            defer { close(leaky) }
            let probe = ChildProcess.output(builtProgram("BackendProbe"), arguments: ["spawn"], scheduler: scheduler)
            #expect(output(probe) == "0 1 2\n")
        }
    }

    /// The fault: standard descriptors of this process are closed, so that pipes get their numbers.
    @Test(arguments: Backend.built)
    func pipesMayHaveTheNumbersOfStandardDescriptors(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let kept = fcntl(0, F_DUPFD_CLOEXEC, 10)
            close(0)
            let receiver = Receiver(Self.shell("cat; echo error >&2", input: .just(ByteChunk("text")), scheduler))
            #expect(receiver.wait())
            dup2(kept, 0)
            close(kept)
            #expect(receiver.elements.contains(.output(ByteChunk("text"))))
            #expect(receiver.elements.contains(.errorOutput(ByteChunk("error\n"))))
            #expect(receiver.elements.last == .exited(status: 0))
        }
    }

    @Test(arguments: Backend.built)
    func outputBeyondTheLimitIsAnErrorAndEndsTheProgram(_ backend: Backend) throws {
        onLoop(backend) { scheduler in
            let output = Receiver(
                ChildProcess.output("/bin/cat", arguments: ["/dev/zero"], limit: 1 << 20, scheduler: scheduler)
                    .asObservable())
            #expect(output.wait())
            #expect(output.error as? IOError == IOError(code: EMSGSIZE, operation: "output", subject: "/bin/cat"))
            #expect(soon { zombies().isEmpty })
        }
    }

    @Test(arguments: Backend.built, [false, true])
    func twoHundredAtOnceLeaveNothingBehind(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            let receivers = (0..<200).map { number in
                Receiver(Self.shell("echo \(number); exit \(number)", byThread: byThread, scheduler))
            }
            for (number, receiver) in receivers.enumerated() {
                #expect(receiver.wait(seconds: 120))
                #expect(receiver.elements.contains(.output(ByteChunk("\(number)\n"))))
                #expect(receiver.elements.last == .exited(status: CInt(number)))
            }
            #expect(zombies() == [])
        }
    }

    @Test(arguments: Backend.built, [false, true])
    func aDisposeEndsTheProgramAndReapsIt(_ backend: Backend, _ byThread: Bool) {
        onLoop(backend) { scheduler in
            for disposal in [
                ChildProcess.Disposal.kill, .terminate(grace: .seconds(20)), .terminate(grace: .milliseconds(50)),
            ] {
                // The last one does not listen to SIGTERM.
                let script =
                    disposal == .terminate(grace: .milliseconds(50))
                    ? "trap '' TERM; echo; while :; do sleep 0.01; done" : "echo; exec sleep 100"
                let receiver = Receiver(Self.shell(script, whenDisposed: disposal, byThread: byThread, scheduler))
                #expect(soon { receiver.elements.count == 2 })
                guard case .started(let pid)? = receiver.elements.first else { continue }
                receiver.dispose()
                #expect(soon(seconds: 10) { Self.isGone(pid) })
                #expect(receiver.elements.count == 2)
            }
        }
    }

    @Test(arguments: Backend.built, [false, true])
    func aShutdownEndsTheProgramAndReapsIt(_ backend: Backend, _ byThread: Bool) {
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

    /// A race of a dispose with the program's end.
    @Test(arguments: Backend.built)
    func aDisposeMayMeetTheEnd(_ backend: Backend) {
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

    /// It is subscribed to on the subscriber's thread, and never lets it go by itself.
    @Test(arguments: Backend.built)
    func anEndlessInputEndsWithTheProgram(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                Self.shell("exit 0", input: .repeatElement(ByteChunk(EmptyCollection())), scheduler))
            #expect(receiver.wait() && receiver.isCompleted)
        }
    }

    /// The fault: somebody else reaps the child.
    @Test(arguments: Backend.built)
    func aChildThatSomebodyElseHasReapedIsAnError(_ backend: Backend) {
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
            // This child, not all: one that an earlier test has left to the loop may end only now.
            #expect(soon { waitpid(child, &status, WNOHANG) == child })
            gate.fire()
            #expect(receiver.wait())
            #expect(receiver.error as? IOError == IOError(code: ECHILD, operation: "waitpid", subject: "/bin/sh"))
        }
    }

    /// The fault: no descriptors are left for pipes.
    @Test(arguments: Backend.built)
    func withoutDescriptorsNothingIsStartedAndNothingLeft(_ backend: Backend) {
        onLoop(backend) { scheduler in
            #expect(scheduler.performAndWait { true })
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for spare in 0..<10 {
                // So many numbers are free below the limit.
                var lowered = limit
                lowered.rlim_cur = rlim_t(firstFreeDescriptor(after: spare))
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered)
                let receiver = Receiver(Self.shell("exit 0", input: .never(), scheduler))
                let hasEnded = receiver.wait()
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                #expect(hasEnded)
                if let error = receiver.error as? IOError {
                    #expect(error.code == EMFILE)
                } else {
                    #expect(receiver.elements.last == .exited(status: 0))
                }
            }
            #expect(zombies() == [])
        }
    }

    private func firstFreeDescriptor(after spare: Int) -> CInt {
        var free = spare
        for number: CInt in 0..<20_000 where fcntl(number, F_GETFD) < 0 {
            if free == 0 { return number }
            free -= 1
        }
        return 20_000
    }
}
