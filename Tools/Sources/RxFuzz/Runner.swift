import Foundation

/// What became of a program.
struct Outcome: Equatable, Sendable {
    enum Status: String, Sendable {
        case ok
        /// The log grew past its limit.
        case budget
        case hang
        case crash
        case malformed
    }

    var status: Status
    var log: String = ""
    var violations: String = ""
}

/// A process that runs programs. Started anew when it has died.
final class Runner {
    private let path: String
    private var process: Process?
    private var input: FileHandle?
    private var output: FileHandle?
    private var buffer: [UInt8] = []
    private var start = 0

    init(path: String) { self.path = path }

    deinit { stop() }

    private func launch() {
        let process = Process()
        let (toChild, fromChild) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.standardInput = toChild
        process.standardOutput = fromChild
        process.standardError = FileHandle.nullDevice
        // The same order of dictionaries in each run.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        do { try process.run() } catch { fail("cannot start \(path): \(error)") }
        self.process = process
        input = toChild.fileHandleForWriting
        output = fromChild.fileHandleForReading
        buffer = []
        start = 0
    }

    func stop() {
        try? input?.close()
        process?.waitUntilExit()
        try? output?.close()
        process = nil
    }

    /// Sends programs, without waiting. They have to fit into a pipe.
    func send(_ programs: ArraySlice<String>) {
        if process == nil { launch() }
        let bytes = Array((programs.joined(separator: "\n") + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(input!.fileDescriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// What became of the programs that were sent. A process that dies takes one of them with it; the rest is sent again.
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
            result.append(
                Outcome(
                    status: status, log: fields.count > 1 ? fields[1] : "",
                    violations: fields.count > 2 ? fields[2] : ""))
            if status == .budget || status == .hang { restart(programs[result.count...]) }
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
            let count = read(output!.fileDescriptor, &chunk, chunk.count)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("rx-fuzz: \(message)\n".utf8))
    exit(2)
}
