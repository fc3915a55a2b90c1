// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Foundation

/// The machine on which a run took place.
struct Machine: Codable {
    let system: String
    let processor: String
    let cores: Int
    let memoryGiB: Int
    /// Nanoseconds of an uncontended atomic read-modify-write, which differs by a factor of two between kinds of machine.
    let atomicNanoseconds: Double

    static func current() -> Machine {
        Machine(
            system: Shell.firstLine("uname -srm") ?? ProcessInfo.processInfo.operatingSystemVersionString,
            processor: Shell.firstLine("grep -m1 'model name' /proc/cpuinfo | cut -d: -f2") ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryGiB: Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded()),
            atomicNanoseconds: plain_atomic_nanoseconds())
    }

    static func toolchain() -> String {
        Shell.firstLine("swift --version 2>/dev/null") ?? "unknown"
    }

    /// Tells whether the compiler optimized this program; `assert` runs its argument only in an unoptimized one.
    static func isOptimized() -> Bool {
        var optimized = true
        assert(
            {
                optimized = false
                return true
            }())
        return optimized
    }
}

/// Runs a command line of the system's shell.
enum Shell {
    /// Returns the output of the command, or nil if it could not be run or failed.
    static func output(_ command: String, environment: [String: String] = [:]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            return nil
        }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }

    static func firstLine(_ command: String) -> String? {
        guard let line = output(command)?.split(separator: "\n").first else { return nil }
        return line.trimmingCharacters(in: .whitespaces)
    }
}
