// SPDX-License-Identifier: Apache-2.0

import Foundation
import PipelineModel
import RxSwift

// Reads a program per line, and writes a line for each: how it ended, its log, violations. Ends with its input. A thread that watches
// the progress reports a program that does not end, and ends the process: nothing stops a loop from outside. A mark in front of a
// program asks for models: `!` for some, `!!` for all, `~` for those of cancellations that are put off.

/// Writes all bytes, whole lines at a time.
func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        guard written > 0 else { exit(0) }
        rest = rest.dropFirst(written)
    }
}

func result(_ status: String, _ log: Log) -> [UInt8] {
    Array(status.utf8) + [9] + log.bytes + [9] + Array(log.violations.joined(separator: "; ").utf8) + [9]
        + Array(log.notes.sorted().joined(separator: " ").utf8) + [10]
}

/// Reports that the running program does not end, and ends the process: nothing stops a loop from outside.
func endAsHang() -> Never {
    write(Array("hang\t\t\t\n".utf8))
    _exit(3)
}

/// The state that the watching thread reads: the log of the running program, and the number of programs that have ended.
final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var ended = 0
    private var isRunning = false
    private var processorSeconds = 0.0

    /// - Parameter processorSeconds: the processor time of the main thread from which on the program is a hang.
    func begin(processorSeconds: Double) {
        lock.withLock {
            isRunning = true
            self.processorSeconds = processorSeconds
        }
    }
    func end() {
        lock.withLock {
            isRunning = false
            ended += 1
        }
    }
    var state: (ended: Int, isRunning: Bool, processorSeconds: Double) {
        lock.withLock { (ended, isRunning, processorSeconds) }
    }

    /// Ends the process when one program needs too much processor time, or more than ten seconds in all, or twice its processor time.
    func watch() {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        let mainThread = clock
        Thread.detachNewThread {
            var last = (ended: -1, cpu: 0.0, rounds: 0)
            while true {
                Thread.sleep(forTimeInterval: 0.05)
                let now = self.state
                var time = timespec()
                clock_gettime(mainThread, &time)
                let cpu = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
                guard now.isRunning, now.ended == last.ended else {
                    last = (now.ended, cpu, 0)
                    continue
                }
                last.rounds += 1
                let rounds = max(200, Int(now.processorSeconds * 40))
                if cpu - last.cpu > now.processorSeconds || last.rounds > rounds {
                    endAsHang()
                }
            }
        }
    }
}

setvbuf(stdout, nil, _IOFBF, 1 << 16)
signal(SIGPIPE, SIG_IGN)
let progress = Progress()
progress.watch()

func resources() -> Int {
    #if TRACE_RESOURCES
        Int(Resources.total)
    #else
        0
    #endif
}

func run(_ line: String) -> [UInt8] {
    let program: Program
    let postpones = line.hasPrefix("~")
    let models: Session.Models = line.hasPrefix("!!") ? .all : line.hasPrefix("!") ? .some : .none
    do { program = try Program(parsing: String(line.dropFirst(postpones ? 1 : models.rawValue))) } catch {
        return Array("malformed\t\t\(error)\t\n".utf8)
    }
    var log: Log!
    // The budget is spent: nothing can unwind the stack, so the process ends with the log so far.
    log = Log(limit: 400) {
        write(result("budget", log))
        _exit(4)
    }
    let before = resources()
    do {
        let session = Session(program, log: log, models: models, postponesCancellation: postpones)
        session.run()
    }
    var left = resources() - before
    // Another thread may still be leaving.
    for attempt in 0..<2000 where left != 0 && program.kind.hasThreads {
        usleep(attempt < 100 ? 20 : 1000)
        left = resources() - before
    }
    if left != 0 { log.violation("release: \(left) objects are left") }
    return result("ok", log)
}

while let line = readLine() {
    // The answers without pressure are all made on this thread, some of them with a million elements.
    progress.begin(processorSeconds: line.contains("pressure |") ? 10 : 0.25)
    let bytes = run(line)
    progress.end()
    write(bytes)
}
