// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import Testing

@Suite struct ConnectStateMachineTests {
    private func v4(_ last: Int) throws -> SocketAddress { try SocketAddress(ipv4: "10.0.0.\(last)", port: 80) }
    private func v6(_ last: Int) throws -> SocketAddress { try SocketAddress(ipv6: "fd00::\(last)", port: 80) }

    private func error(_ code: CInt, _ address: SocketAddress) -> IOError {
        IOError(code: code, operation: "connect", subject: "\(address)")
    }

    @Test("The families take turns, beginning with that of the first address")
    func interleaved() throws {
        let addresses = [try v6(1), try v6(2), try v6(3), try v4(1), try v4(2)]
        let state = ConnectStateMachine(addresses, subject: "host:80")
        #expect(state.addresses == [try v6(1), try v4(1), try v6(2), try v4(2), try v6(3)])
        let other = ConnectStateMachine([try v4(1), try v6(1), try v6(2)], subject: "host:80")
        #expect(other.addresses == [try v4(1), try v6(1), try v6(2)])
    }

    @Test("A host without addresses fails")
    func noAddress() {
        var state = ConnectStateMachine([], subject: "host:80")
        #expect(state.start() == .fail(IOError(code: EADDRNOTAVAIL, operation: "connect", subject: "host:80")))
    }

    @Test("The only address needs no timer, and its error is the result")
    func oneAddress() throws {
        let address = try v4(1)
        var state = ConnectStateMachine([address], subject: "host:80")
        #expect(state.start() == .connect(0, restartsTimer: false))
        #expect(state.failed(0, error(ECONNREFUSED, address)) == .fail(error(ECONNREFUSED, address)))
    }

    @Test("The timer begins the attempts one after the other, and stops at the last")
    func timer() throws {
        var state = ConnectStateMachine([try v6(1), try v4(1), try v6(2)], subject: "host:80")
        #expect(state.start() == .connect(0, restartsTimer: true))
        #expect(state.delayElapsed() == .connect(1, restartsTimer: true))
        #expect(state.delayElapsed() == .connect(2, restartsTimer: false))
        #expect(state.delayElapsed() == .wait)
    }

    @Test("A failure begins the next attempt at once, and the timer starts anew")
    func failure() throws {
        var state = ConnectStateMachine([try v6(1), try v4(1), try v6(2)], subject: "host:80")
        _ = state.start()
        #expect(state.failed(0, error(ENETUNREACH, try v6(1))) == .connect(1, restartsTimer: true))
        #expect(state.delayElapsed() == .connect(2, restartsTimer: false))
        #expect(state.failed(2, error(ENETUNREACH, try v6(2))) == .wait)
    }

    @Test("The first connection makes all other attempts lose", arguments: [0, 1, 2])
    func winner(_ winner: Int) throws {
        var state = ConnectStateMachine([try v6(1), try v4(1), try v6(2), try v4(2)], subject: "host:80")
        _ = state.start()
        _ = state.delayElapsed()
        _ = state.delayElapsed()
        #expect(state.connected(winner) == [0, 1, 2].filter { $0 != winner })
        // A timer and an end that the caller could not stop any more change nothing.
        #expect(state.delayElapsed() == .wait)
        #expect(state.failed(2, error(ECANCELED, try v6(2))) == .wait)
    }

    @Test("A failed attempt is not among those that have lost")
    func failedIsNoLoser() throws {
        var state = ConnectStateMachine([try v6(1), try v4(1), try v6(2)], subject: "host:80")
        _ = state.start()
        _ = state.failed(0, error(ECONNREFUSED, try v6(1)))
        _ = state.delayElapsed()
        #expect(state.connected(1) == [2])
    }

    @Test("The result waits for the last attempt under way")
    func lastFailure() throws {
        var state = ConnectStateMachine([try v6(1), try v4(1)], subject: "host:80")
        _ = state.start()
        _ = state.delayElapsed()
        #expect(state.failed(1, error(ECONNREFUSED, try v4(1))) == .wait)
        guard case .fail = state.failed(0, error(ECONNREFUSED, try v6(1))) else {
            Issue.record("did not fail")
            return
        }
    }

    @Test(
        "The error that tells most is the result, and names the others",
        arguments: [
            (ENETUNREACH, ECONNREFUSED, 1), (ECONNREFUSED, ENETUNREACH, 0), (ETIMEDOUT, ENETUNREACH, 0),
            (ETIMEDOUT, ECONNREFUSED, 1), (ECONNREFUSED, EMFILE, 1), (ECONNREFUSED, ECONNREFUSED, 0),
        ])
    func summary(_ first: CInt, _ second: CInt, _ chosen: Int) throws {
        let addresses = [try v6(1), try v4(1)]
        let errors = [error(first, addresses[0]), error(second, addresses[1])]
        var state = ConnectStateMachine(addresses, subject: "host:80")
        _ = state.start()
        _ = state.failed(0, errors[0])
        let other = errors[1 - chosen]
        let subject = "\(addresses[chosen]) (also tried \(other.subject): \(other.message))"
        #expect(
            state.failed(1, errors[1])
                == .fail(IOError(code: errors[chosen].code, operation: "connect", subject: subject)))
    }
}
