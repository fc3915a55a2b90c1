// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc

/// The outcome of a program.
struct Outcome {
    var family: ProgramFamily
    var seed: UInt64
    var without: Set<Int>
    /// As of `rx_sim_report`; nil if the process was killed because it took too long.
    var status: CInt?
    var output: String

    var program: any RandomProgram { family.program(seed: seed).without(without) }

    var isFault: Bool { status != 0 }

    /// The first sentence of the output, or the way in which the process ended.
    var reason: String {
        guard let status else { return "hangs" }
        if status >= 256 { return "signal \(status - 256)" }
        return output.split(separator: "\n").first.map(String.init) ?? "exit code \(status)"
    }

    /// The reason without numbers.
    var signature: String {
        var result = ""
        for character in reason where !(character.isNumber && result.hasSuffix("#")) {
            result.append(character.isNumber ? "#" : character)
        }
        return result
    }

    /// The line with the hash of the trace.
    var trace: String? { output.split(separator: "\n").last { $0.hasPrefix("trace ") }.map(String.init) }
}

/// Runs programs, each in a process of its own, some at a time.
final class Runner {
    private struct Slot {
        var seed: UInt64
        var without: Set<Int>
        var pid: pid_t = 0
        var start = time(nil)
        var output: [UInt8] = []
    }

    private let family: ProgramFamily
    private var slots: [Slot?]
    private let jobs: [rx_sim_job]
    private let folder: String
    var traces = false
    /// Seconds of real time. A program takes some milliseconds, or some seconds if the kernel's TCP has to send again, and many times that on a busy machine.
    private static let limit = 180

    /// - Parameter count: how many at a time.
    init(_ family: ProgramFamily, jobs count: Int) {
        self.family = family
        slots = Array(repeating: nil, count: count)
        jobs = (0..<CInt(count)).map(rx_sim_job_at)
        for job in jobs { _ = fcntl(job.output, F_SETFL, O_NONBLOCK) }
        var template = Array("/tmp/rx-io-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no folder can be made in /tmp (errno \(errno))") }
        folder = String(cString: template)
    }

    func close() { rmdir(folder) }

    /// Runs the programs that `next` returns until that is nil, and passes each outcome to `ended`.
    func run(_ next: () -> (seed: UInt64, without: Set<Int>)?, ended: (Outcome) -> Void) {
        var hasMore = true
        while true {
            for number in slots.indices where slots[number] == nil && hasMore {
                if let (seed, without) = next() { start(seed, without, number) } else { hasMore = false }
            }
            if slots.allSatisfy({ $0 == nil }) { return }
            var entries: [pollfd] = []
            for (number, job) in jobs.enumerated() {
                let isBusy = slots[number] != nil
                entries.append(pollfd(fd: isBusy ? job.output : -1, events: Int16(POLLIN), revents: 0))
                entries.append(pollfd(fd: isBusy ? job.reports : -1, events: Int16(POLLIN), revents: 0))
            }
            poll(&entries, nfds_t(entries.count), 500)
            for number in slots.indices where slots[number] != nil {
                if entries[2 * number].revents != 0 { readOutput(number) }
                if entries[2 * number + 1].revents != 0, let outcome = readReport(number) { ended(outcome) }
                if let slot = slots[number], time(nil) - slot.start > Runner.limit { kill(slot.pid, SIGKILL) }
            }
        }
    }

    func run(_ seed: UInt64, without: Set<Int>) -> Outcome {
        var isNew = true
        var result: Outcome?
        run {
            defer { isNew = false }
            return isNew ? (seed, without) : nil
        } ended: {
            result = $0
        }
        return result!
    }

    private func start(_ seed: UInt64, _ without: Set<Int>, _ number: Int) {
        let own = "\(folder)/\(number)"
        mkdir(own, 0o700)
        var request = rx_sim_request()
        request.seed = seed
        request.family = family.rawValue
        request.traces = traces
        request.count = UInt32(without.count)
        withUnsafeMutableBytes(of: &request.without) { bytes in
            for (place, step) in zip(bytes.bindMemory(to: UInt16.self).indices, without.sorted()) {
                bytes.bindMemory(to: UInt16.self)[place] = UInt16(step)
            }
        }
        withUnsafeMutableBytes(of: &request.folder) { $0.copyBytes(from: own.utf8.prefix(63)) }
        slots[number] = Slot(seed: seed, without: without)
        if !rx_sim_send(CInt(number), &request) { fatalError("the process of a job has ended") }
    }

    private func readOutput(_ number: Int) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(jobs[number].output, &buffer, buffer.count)
            if count <= 0 { return }
            slots[number]!.output += buffer[..<count]
        }
    }

    /// Returns the outcome if the program has ended.
    private func readReport(_ number: Int) -> Outcome? {
        var report = rx_sim_report()
        let size = MemoryLayout<rx_sim_report>.size
        guard read(jobs[number].reports, &report, size) == size else { fatalError("the process of a job has ended") }
        slots[number]!.pid = report.pid
        if report.status == -1 { return nil }
        readOutput(number)
        let slot = slots[number]!
        slots[number] = nil
        empty("\(folder)/\(number)")
        let isKilled = time(nil) - slot.start > Runner.limit && report.status == 256 + SIGKILL
        return Outcome(
            family: family, seed: slot.seed, without: slot.without, status: isKilled ? nil : report.status,
            output: String(decoding: slot.output, as: UTF8.self))
    }

    private func empty(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink("\(path)/\(name)")
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
