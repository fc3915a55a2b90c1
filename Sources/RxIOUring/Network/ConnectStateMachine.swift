// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Decides which addresses of a host are tried, and when: "Happy Eyeballs" (RFC 8305, sections 4 and 5).
///
/// The addresses are tried in order, IPv4 and IPv6 in turns. The next attempt begins when one has failed, or when the last to begin has
/// had a time without success; the earlier attempts go on. The first connection wins.
package struct ConnectStateMachine {
    /// The next step of the caller.
    package enum Step: Equatable {
        /// Begins an attempt at an address, and restarts the timer, or stops it if no address is left.
        case connect(Int, restartsTimer: Bool)
        /// Waits for the attempts under way, and for the timer.
        case wait
        case fail(IOError)
    }

    /// The addresses in the order in which they are tried; attempts have their indexes.
    package let addresses: [SocketAddress]
    private let subject: String
    private var begun = 0
    /// The attempts under way, oldest first.
    private var running: [Int] = []
    /// The failed attempts, in the order of failing.
    private var failed: [(attempt: Int, error: IOError)] = []
    private var isOver = false

    /// - Parameters:
    ///   - addresses: those of the host, the preferred one first.
    ///   - subject: that of the error if there is no address.
    package init(_ addresses: [SocketAddress], subject: String) {
        self.addresses = ConnectStateMachine.interleaved(addresses)
        self.subject = subject
    }

    /// Begins. Called once, first.
    package mutating func start() -> Step {
        if !addresses.isEmpty { return beginNext() }
        isOver = true
        return .fail(IOError(code: EADDRNOTAVAIL, operation: "connect", subject: subject))
    }

    /// Handles the timer's end: the last attempt takes long.
    package mutating func delayElapsed() -> Step { isOver || begun == addresses.count ? .wait : beginNext() }

    package mutating func failed(_ attempt: Int, _ error: IOError) -> Step {
        running.removeAll { $0 == attempt }
        failed.append((attempt, error))
        if isOver { return .wait }
        if begun < addresses.count { return beginNext() }
        if !running.isEmpty { return .wait }
        isOver = true
        return .fail(summary)
    }

    /// Handles the first success. Returns the attempts that have lost, to be abandoned.
    package mutating func connected(_ attempt: Int) -> [Int] {
        isOver = true
        defer { running = [] }
        return running.filter { $0 != attempt }
    }

    private mutating func beginNext() -> Step {
        running.append(begun)
        begun += 1
        return .connect(begun - 1, restartsTimer: begun < addresses.count)
    }

    /// Takes turns between the family of the first address and the other one; within a family the order stays.
    private static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let family = addresses.first?.family else { return [] }
        let preferred = addresses.filter { $0.family == family }
        let other = addresses.filter { $0.family != family }
        var mixed: [SocketAddress] = []
        for index in 0..<max(preferred.count, other.count) {
            if index < preferred.count { mixed.append(preferred[index]) }
            if index < other.count { mixed.append(other[index]) }
        }
        return mixed
    }

    // MARK: The error

    /// The error that tells most, with the other errors after its address.
    private var summary: IOError {
        let byAttempt = failed.sorted { $0.attempt < $1.attempt }.map(\.error)
        // `max` returns the first of the greatest.
        let chosen = byAttempt.indices.max { byAttempt[$0].weight < byAttempt[$1].weight }!
        if byAttempt.count == 1 { return byAttempt[chosen] }
        let others = byAttempt.indices.filter { $0 != chosen }.map {
            "\(byAttempt[$0].subject): \(byAttempt[$0].message)"
        }
        let error = byAttempt[chosen]
        return IOError(
            code: error.code, operation: error.operation,
            subject: "\(error.subject) (also tried \(others.joined(separator: ", ")))")
    }
}

extension IOError {
    /// How much the error of an attempt tells about the reason why none succeeded.
    fileprivate var weight: Int {
        switch code {
        // This machine has no way to such addresses, as without IPv6.
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT: return 0
        case ETIMEDOUT: return 1
        // The host has answered.
        case ECONNREFUSED, ECONNRESET: return 2
        // No further attempt could have succeeded: no descriptors, no permission.
        default: return 3
        }
    }
}
