// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A server on this machine that answers a number of connections, one after another, with the same bytes.
final class LoopbackServer: @unchecked Sendable {
    let port: UInt16
    private let socket: Int32

    /// - Parameter connections: the number of connections to answer; with 0 the port is refused.
    init(answering answer: String, connections: Int = 1) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        precondition(socket >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(socket, pointer, length) == 0)
                precondition(getsockname(socket, pointer, &length) == 0)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.socket = socket
        guard connections > 0 else {
            close(socket)
            return
        }
        precondition(listen(socket, 4) == 0)
        Thread.detachNewThread {
            for _ in 0..<connections { Self.serve(accept(socket, nil, nil), answer) }
            close(socket)
        }
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    private static func serve(_ connection: Int32, _ answer: String) {
        guard connection >= 0 else { return }
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            request += buffer[..<count]
        }
        _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        close(connection)
    }
}
