// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct CommandTests {
    /// A command that cannot be started, and its error.
    struct Fault: Sendable {
        let executable: String
        var arguments: [String] = []
        var folder: String?
        let error: IOError
    }

    static let faults = [
        Fault(
            executable: "/nowhere/to/be/found",
            error: IOError(code: ENOENT, operation: "posix_spawn", subject: "/nowhere/to/be/found")),
        Fault(
            executable: "rx-no-such-program",
            error: IOError(code: ENOENT, operation: "posix_spawn", subject: "rx-no-such-program")),
        Fault(
            executable: "/etc/passwd",
            error: IOError(code: EACCES, operation: "posix_spawn", subject: "/etc/passwd")),
        Fault(
            executable: "/bin/true", folder: "/nowhere/to/be/found",
            error: IOError(code: ENOENT, operation: "chdir", subject: "/nowhere/to/be/found")),
        Fault(
            executable: "/bin/true", folder: "/etc/passwd",
            error: IOError(code: ENOTDIR, operation: "chdir", subject: "/etc/passwd")),
        Fault(executable: "/bin/true", folder: "", error: IOError(code: ENOENT, operation: "chdir", subject: "")),
        Fault(
            executable: "/bin/true", arguments: ["a\0b"],
            error: IOError(code: EINVAL, operation: "posix_spawn", subject: "/bin/true")),
    ]

    @Test("A program that cannot be started is an error that names the cause", arguments: Backend.built, faults)
    func startError(_ backend: Backend, _ fault: Fault) {
        onLoop(backend) { scheduler in
            let command = ChildProcess.Command(
                executable: fault.executable, arguments: fault.arguments, workingDirectory: fault.folder)
            let receiver = Receiver(ChildProcess.run(command, awaitsEndByThread: false, scheduler: scheduler))
            #expect(receiver.wait() && receiver.elements.isEmpty)
            #expect(receiver.error as? IOError == fault.error)
            #expect(zombies() == [])
        }
    }

    @Test("The program gets the given environment, folder, arguments and descriptors", arguments: Backend.built)
    func surroundings(_ backend: Backend) {
        onLoop(backend) { scheduler in
            func output(_ run: Single<ChildProcess.Output>) -> String? {
                let receiver = Receiver(run.asObservable())
                #expect(receiver.wait() && receiver.error == nil)
                return receiver.elements.first.map { String(decoding: $0.output, as: UTF8.self) }
            }
            #expect(output(ChildProcess.output("env", environment: ["A": "b c"], scheduler: scheduler)) == "A=b c\n")
            #expect(output(ChildProcess.output("pwd", workingDirectory: "/usr", scheduler: scheduler)) == "/usr\n")
            #expect(output(ChildProcess.output("echo", arguments: ["a", "", "b"], scheduler: scheduler)) == "a  b\n")
            // This descriptor lacks the flag that closes it in programs.
            let leaky = open("/dev/null", O_RDONLY)
            defer { close(leaky) }
            let probe = ChildProcess.output(builtProgram("BackendProbe"), arguments: ["spawn"], scheduler: scheduler)
            #expect(output(probe) == "0 1 2\n")
        }
    }

    /// The fault: standard descriptors of this process are closed, so that pipes get their numbers.
    @Test("The pipes may have the numbers of standard descriptors", arguments: Backend.built)
    func standardDescriptors(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let kept = fcntl(0, F_DUPFD_CLOEXEC, 10)
            close(0)
            let receiver = Receiver(
                ChildProcessTests.shell("cat; echo error >&2", input: .just(ByteChunk("text")), scheduler))
            #expect(receiver.wait())
            dup2(kept, 0)
            close(kept)
            #expect(receiver.output == "text")
            #expect(receiver.errorOutput == "error\n")
            #expect(receiver.elements.last == .exited(status: 0))
        }
    }

    /// Some numbers of spare descriptors are enough for all pipes: then the program runs.
    @Test("A start without free descriptors is an error and leaves no process", arguments: Backend.built, 0..<10)
    func noDescriptors(_ backend: Backend, spare: Int) {
        onLoop(backend) { scheduler in
            #expect(scheduler.performAndWait { true })
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // Below this limit, `spare` numbers are free.
            var lowered = limit
            lowered.rlim_cur = rlim_t(firstFreeDescriptor(after: spare))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered)
            let receiver = Receiver(ChildProcessTests.shell("exit 0", input: .never(), scheduler))
            let hasEnded = receiver.wait()
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(hasEnded)
            if let error = receiver.error as? IOError {
                #expect(error.code == EMFILE)
            } else {
                #expect(receiver.elements.last == .exited(status: 0))
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
