// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The outcome of a program.
package struct Outcome: Equatable, Sendable {
    package enum Status: String, Sendable {
        case ok
        /// The log grew past its limit.
        case budget
        case hang
        case crash
        case malformed
    }

    package var status: Status
    package var log: String = ""
    package var violations: String = ""
    var notes: String = ""

    package init(status: Status, log: String = "", violations: String = "", notes: String = "") {
        self.status = status
        self.log = log
        self.violations = violations
        self.notes = notes
    }
}

/// A process that runs programs. Restarted when it has died.
final class Runner {
    private static let launching = NSLock()
    private let path: String
    private var process: pid_t = 0
    /// The child's standard input and output.
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var buffer: [UInt8] = []
    private var start = 0

    init(path: String) { self.path = path }

    deinit { stop() }

    private func launch() {
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        // The pipes are closed on exec, and no other thread launches in between: a runner that held the pipe of another one would keep
        // that one from seeing its end.
        Self.launching.lock()
        defer { Self.launching.unlock() }
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { fail("no pipe") }
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var arguments = [strdup(path), nil]
        defer { free(arguments[0]) }
        // Makes the order of dictionaries the same in each run.
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_DETERMINISTIC_HASHING=1"), nil]
        defer { for each in environment { free(each) } }
        let status = posix_spawn(&process, path, &actions, nil, &arguments, &environment)
        guard status == 0 else { fail("cannot start \(path): \(String(cString: strerror(status)))") }
        close(toChild[0])
        close(fromChild[1])
        (input, output) = (toChild[1], fromChild[0])
        buffer = []
        start = 0
    }

    func stop() {
        guard process != 0 else { return }
        close(input)
        close(output)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
    }

    /// Sends programs, without waiting. They have to fit into a pipe.
    func send(_ programs: ArraySlice<String>) {
        if process == 0 { launch() }
        let bytes = Array((programs.joined(separator: "\n") + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Receives the outcomes of the programs that were sent. A process that dies takes one of them with it; the rest is sent again.
    func receive(_ programs: [String]) -> [Outcome] {
        var result: [Outcome] = []
        while result.count < programs.count {
            guard let line = readLine() else {
                result.append(Outcome(status: .crash))
                restart(programs[result.count...])
                continue
            }
            let fields = line.split(separator: 9, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            let status = Outcome.Status(rawValue: fields[0]) ?? .malformed
            func field(_ index: Int) -> String { fields.count > index ? fields[index] : "" }
            result.append(Outcome(status: status, log: field(1), violations: field(2), notes: field(3)))
            // If threads are left running, later results cannot be trusted.
            if status == .budget || status == .hang || !field(2).isEmpty { restart(programs[result.count...]) }
        }
        return result
    }

    func run(_ programs: [String]) -> [Outcome] {
        send(programs[...])
        return receive(programs)
    }

    private func restart(_ programs: ArraySlice<String>) {
        stop()
        if !programs.isEmpty { send(programs) }
    }

    private func readLine() -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer[start...].firstIndex(of: 10) {
                defer { start = end + 1 }
                return buffer[start..<end]
            }
            buffer.removeFirst(start)
            start = 0
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("rx-fuzz: \(message)\n".utf8))
    exit(2)
}
