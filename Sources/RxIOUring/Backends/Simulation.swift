// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The settings of simulated loops: a seed, from which all their choices follow, and the kinds of faults among these.
package struct Simulation: Sendable, Hashable {
    package var seed: UInt64

    /// True if operations may fail. Without it only such faults occur that lose nothing: short transfers, delays, other orders.
    package var hasErrors: Bool

    package init(seed: UInt64, hasErrors: Bool = false) {
        self.seed = seed
        self.hasErrors = hasErrors
    }

    /// Parses `simulated:SEED` or `simulated:SEED:errors`, a value of `RX_IO_BACKEND`.
    package init?(parsing text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first == "simulated", 2...3 ~= parts.count, let seed = UInt64(parts[1]) else { return nil }
        if parts.count == 3, parts[2] != "errors" { return nil }
        self.init(seed: seed, hasErrors: parts.count == 3)
    }
}

/// The choices of one simulated loop, which follow from the seed and from the questions asked before.
struct SimulatedChoices: RandomNumberGenerator {
    private var state: UInt64
    private let hasErrors: Bool

    init(_ simulation: Simulation) {
        state = simulation.seed
        hasErrors = simulation.hasErrors
    }

    /// SplitMix64: Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func happens(oneIn count: UInt64) -> Bool { next() % count == 0 }

    /// The number of bytes that a transfer is offered, of `length`.
    mutating func offer(of length: Int) -> Int {
        if length <= 1 { return length }
        switch next() % 16 {
        case 0: return 1
        case 1: return Int.random(in: 1...min(length, 16), using: &self)
        case 2...6: return Int.random(in: 1...length, using: &self)
        default: return length
        }
    }

    /// The number of turns for which a completion is kept back.
    mutating func delay() -> Int {
        switch next() % 16 {
        case 0: return Int.random(in: 4...12, using: &self)
        case 1...5: return Int.random(in: 1...3, using: &self)
        default: return 0
        }
    }

    /// The errno with which a transfer fails, or nil if it is performed.
    mutating func error(_ kind: rx_operation) -> CInt? {
        guard hasErrors, happens(oneIn: 64) else { return nil }
        switch kind {
        case RX_RECEIVE, RX_RECEIVE_POOL, RX_RECEIVE_BULK: return ECONNRESET
        case RX_SEND, RX_SEND_MESSAGE: return [ECONNRESET, EPIPE, ENOBUFS].randomElement(using: &self)
        case RX_CONNECT: return [ECONNREFUSED, ETIMEDOUT, ENOBUFS].randomElement(using: &self)
        case RX_READ: return EIO
        case RX_WRITE: return [ENOSPC, EIO].randomElement(using: &self)
        case RX_SYNCHRONIZE: return EIO
        default: return nil
        }
    }
}
