// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import Testing

@Suite struct InheritedSocketTests {
    @Test("The sockets of the environment have their names")
    func named() throws {
        try withDescriptors { first in
            let variables = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "web"]
            let found = try InheritedSocket.all(process: 7, first: first) { variables[$0] }
            #expect(found.map(\.descriptor) == [first, first + 1])
            #expect(found.map(\.name) == ["web", ""])
            for socket in found { #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0) }
        }
    }

    @Test(
        "A process that was given no sockets has none",
        arguments: [
            [:], ["LISTEN_FDS": "2"], ["LISTEN_PID": "8", "LISTEN_FDS": "2"], ["LISTEN_PID": "7", "LISTEN_FDS": "0"],
        ])
    func none(_ variables: [String: String]) throws {
        #expect(try InheritedSocket.all(process: 7) { variables[$0] } == [])
        #expect(try InheritedSocket.all() == [])
    }

    @Test(
        "An environment that makes no sense is an error",
        arguments: [
            (["LISTEN_PID": "x", "LISTEN_FDS": "2"], EINVAL, "LISTEN_PID=x"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], EINVAL, "LISTEN_FDS=-1"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2147483647"], EINVAL, "LISTEN_FDS=2147483647"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1"], EBADF, "descriptor 1000000"),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2000000000"], EBADF, "descriptor 1000000"),
        ])
    func nonsense(_ variables: [String: String], code: CInt, subject: String) {
        #expect(throws: IOError(code: code, operation: "inherit", subject: subject)) {
            try InheritedSocket.all(process: 7, first: 1_000_000) { variables[$0] }
        }
    }

    /// Lends the number of the first of two open descriptors that follow each other.
    private func withDescriptors(_ body: (CInt) throws -> Void) throws {
        let first = fcntl(0, F_DUPFD, 600)
        defer { close(first) }
        let second = fcntl(0, F_DUPFD, first + 1)
        defer { close(second) }
        try #require(second == first + 1)
        try body(first)
    }
}
