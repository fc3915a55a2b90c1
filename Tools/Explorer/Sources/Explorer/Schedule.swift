// SPDX-License-Identifier: Apache-2.0

import CExplorer
import Glibc

/// The schedule of the last execution, for people.
enum Schedule {
    static func print() {
        let count = rx_step_count()
        let steps = (0..<count).map { rx_step_at($0) }
        let places = Symbols.places(of: steps.map(\.caller))
        var last: Int32 = 0
        for (index, step) in steps.enumerated() {
            let thread = String(UnicodeScalar(UInt8(96 + step.thread)))
            let name = step.thread == last ? " " : thread
            last = step.thread
            Swift.print("  \(pad(String(index), 4, left: true))  \(name)  \(pad(describe(step), 58))  \(places[index])")
        }
    }

    static func failurePlaces() -> [String] {
        Symbols.places(of: [rx_failure_place(0), rx_failure_place(1)]).filter { !$0.isEmpty }
    }

    private static func describe(_ step: rx_step) -> String {
        let operation = String(cString: step.operation)
        if step.word < 0 { return operation }
        let order = String(cString: step.order)
        var text = "\(operation) w\(step.word)"
        if let name = step.word_name { text += " (\(String(cString: name)))" }
        if order.isEmpty { return text }
        text += step.is_write ? " \(value(step.before)) -> \(value(step.after))" : " = \(value(step.before))"
        if step.staleness > 0 { text += " [\(step.staleness) older than the newest]" }
        return text + ", " + order
    }

    private static func value(_ word: UInt) -> String {
        word < 65_536
            ? String(word) : word > UInt.max - 65_536 ? String(Int(bitPattern: word)) : "0x" + String(word, radix: 16)
    }

    private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return left ? padding + text : text + padding
    }
}

private enum Symbols {
    /// Function, file and line of the innermost caller outside the atomics, for each address; empty where unknown.
    static func places(of addresses: [UnsafeRawPointer?]) -> [String] {
        guard let base = rx_image_base() else { return addresses.map { _ in "" } }
        let unique = Array(Set(addresses.compactMap { $0 }))
        if unique.isEmpty { return addresses.map { _ in "" } }
        let offsets = unique.map { "0x" + String($0 - base - 1, radix: 16) }
        let executable = (try? executablePath()) ?? "/proc/self/exe"
        guard let output = run("addr2line -a -i -e '\(executable)' \(offsets.joined(separator: " ")) 2>/dev/null")
        else {
            return addresses.map { _ in "" }
        }
        var places: [UnsafeRawPointer: String] = [:]
        var index = -1
        for line in output.split(separator: "\n") {
            if line.hasPrefix("0x") {
                index += 1
            } else if index < unique.count, places[unique[index]] == nil, isInteresting(line) {
                places[unique[index]] = shorten(line)
            }
        }
        return addresses.map { address in address.flatMap { places[$0] } ?? "" }
    }

    private static func isInteresting(_ line: Substring) -> Bool {
        !line.hasPrefix("?") && !line.contains("Atomics.swift") && !line.contains("/Model")
            && !line.contains("compiler-generated")
    }

    private static func shorten(_ line: Substring) -> String {
        let place = line.split(separator: " ")[0]
        return String(place.split(separator: "/").last ?? place)
    }

    private static func executablePath() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        return count > 0 ? String(cString: buffer) : "/proc/self/exe"
    }

    private static func run(_ command: String) -> String? {
        guard let pipe = popen(command, "r") else { return nil }
        defer { pclose(pipe) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            output += buffer[0..<count]
        }
        return String(decoding: output, as: UTF8.self)
    }
}
