// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The log of a program as text; an entry is a stage's id, a letter for the kind of event, a value.
///
/// Letters: `n` next, `e` error, `c` completed; `N`, `E`, `C` after they were passed on; `s` before and `S` after subscribing; `d`
/// disposal; `f` a call of a closure; `m` the closure makes a pipeline. A stage that was subscribed to before shows the number of its
/// subscription behind `#`. Final observers are `>0`, `>1` in order of subscription.
final class Log {
    private(set) var bytes: [UInt8] = []
    /// True if entries are dropped: their order says nothing in programs with several threads.
    var isSilent = false
    private let lock = NSLock()
    private var violated: [String] = []
    /// Notes for a comparison about events that are not errors.
    private(set) var notes: Set<String> = []
    private(set) var entries = 0
    /// The virtual time, in programs that have one.
    var clock: () -> Int? = { nil }
    private var lastTime = 0
    private let limit: Int
    private let overflow: () -> Void

    /// - Parameter overflow: called when there are more entries than `limit`.
    init(limit: Int, overflow: @escaping () -> Void) {
        self.limit = limit
        self.overflow = overflow
        bytes.reserveCapacity(4096)
    }

    func add(_ id: Int, _ letter: Unicode.Scalar, _ value: Int? = nil, instance: Int = 1, isFinal: Bool = false) {
        if isSilent {
            let count = lock.withLock {
                entries += 1
                return entries
            }
            if count >= limit * 1000 { overflow() }
            return
        }
        if let now = clock(), now != lastTime {
            lastTime = now
            bytes.append(UInt8(ascii: "@"))
            append(now)
            bytes.append(UInt8(ascii: " "))
        }
        if isFinal { bytes.append(UInt8(ascii: ">")) }
        append(id)
        if instance > 1 {
            bytes.append(UInt8(ascii: "#"))
            append(instance)
        }
        bytes.append(UInt8(truncatingIfNeeded: letter.value))
        if let value { append(value) }
        bytes.append(UInt8(ascii: " "))
        entries += 1
        if entries >= limit { overflow() }
    }

    /// Records a violation of a law that holds regardless of other libraries.
    func violation(_ text: String) {
        lock.withLock {
            if violated.count < 4 { violated.append(text) }
        }
    }

    /// The number of entries of a silent log.
    var progress: Int { lock.withLock { entries } }

    var violations: [String] { lock.withLock { violated } }

    func note(_ text: String) { notes.insert(text) }

    private func append(_ number: Int) {
        if (0...9).contains(number) {
            bytes.append(UInt8(ascii: "0") + UInt8(number))
        } else {
            bytes.append(contentsOf: String(number).utf8)
        }
    }
}
