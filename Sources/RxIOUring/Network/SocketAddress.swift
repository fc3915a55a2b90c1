// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The address of a socket: an IP address and a port, or the path of a Unix socket.
///
/// Two addresses are equal if they stand for one place: `::ffff:1.2.3.4` equals `1.2.3.4`, and the interface counts only where an address
/// has no meaning without it (link-local ones, such as `fe80::1%eth0`).
public struct SocketAddress: Sendable {
    enum Kind: Sendable, Hashable {
        /// The address and the port in the processor's byte order.
        case ipv4(UInt32, port: UInt16)
        /// The halves of the address in the processor's byte order, and the interface of a link-local address (or 0).
        case ipv6(high: UInt64, low: UInt64, port: UInt16, scope: UInt32)
        /// The bytes of `sun_path`: a path without the closing zero, a name after a zero, or nothing.
        case unix([UInt8])
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    /// An IPv4 address.
    ///
    /// - Parameters:
    ///   - text: four numbers, such as `127.0.0.1`; a name has to be resolved, see `resolve`.
    ///   - port: 0...65535; for 0 the system chooses.
    /// - Throws: `IOError` of `EINVAL`.
    public init(ipv4 text: String, port: Int) throws {
        var address = in_addr()
        guard let port = UInt16(exactly: port), !text.containsNUL, inet_pton(AF_INET, text, &address) == 1 else {
            throw SocketAddress.invalid("\(text):\(port)")
        }
        kind = .ipv4(UInt32(bigEndian: address.s_addr), port: port)
    }

    /// An IPv6 address.
    ///
    /// - Parameters:
    ///   - text: as in `::1`, without brackets; a link-local address may name its interface, as in `fe80::1%eth0`.
    ///   - port: 0...65535; for 0 the system chooses.
    /// - Throws: `IOError` of `EINVAL`.
    public init(ipv6 text: String, port: Int) throws {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var address = in6_addr()
        guard let number = UInt16(exactly: port), !text.containsNUL,
            inet_pton(AF_INET6, String(parts[0]), &address) == 1
        else {
            throw SocketAddress.invalid(SocketAddress.text(text, port))
        }
        var scope: UInt32 = 0
        if parts.count == 2 {
            scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            if scope == 0 { throw SocketAddress.invalid(SocketAddress.text(text, port)) }
        }
        let (high, low) = SocketAddress.halves(address)
        kind = .ipv6(high: high, low: low, port: number, scope: scope)
    }

    /// An IPv4 or an IPv6 address, depending on the form of `text`.
    ///
    /// - Throws: `IOError` of `EINVAL`.
    public init(ip text: String, port: Int) throws {
        if text.utf8.contains(UInt8(ascii: ":")) {
            try self.init(ipv6: text, port: port)
        } else {
            try self.init(ipv4: text, port: port)
        }
    }

    /// A Unix socket in the file system.
    ///
    /// - Parameter path: at most 107 bytes.
    /// - Throws: `IOError` of `EINVAL` or `ENAMETOOLONG`.
    public init(unixPath path: String) throws { try self.init(unixPath: File.Path(path)) }

    /// A Unix socket in the file system, whose name need not be valid UTF-8.
    ///
    /// - Parameter path: at most 107 bytes.
    /// - Throws: `IOError` of `EINVAL` or `ENAMETOOLONG`.
    public init(unixPath path: File.Path) throws {
        if path.isEmpty || path.containsNUL { throw SocketAddress.invalid("unix:\(path)") }
        kind = .unix(path.bytes)
        // The kernel wants a zero byte behind a path.
        if path.bytes.count + 1 > SocketAddress.unixRoom { throw SocketAddress.tooLong(path.description) }
    }

    /// An abstract Unix socket, which is in no file system.
    ///
    /// The address disappears with the last socket that is bound to it.
    /// - Parameter name: at most 107 bytes.
    /// - Throws: `IOError` of `ENAMETOOLONG`.
    public init(abstractUnixName name: String) throws {
        kind = .unix([0] + Array(name.utf8))
        if 1 + name.utf8.count > SocketAddress.unixRoom { throw SocketAddress.tooLong("@\(name)") }
    }

    /// The port; 0 for a Unix socket, and if the system is to choose.
    public var port: Int {
        switch kind {
        case .ipv4(_, let port), .ipv6(_, _, let port, _): return Int(port)
        case .unix: return 0
        }
    }

    /// The IP address as text, without the port; nil for a Unix socket.
    public var host: String? {
        switch kind {
        case .ipv4(let number, _):
            var address = in_addr(s_addr: number.bigEndian)
            return SocketAddress.text(AF_INET, &address, INET_ADDRSTRLEN)
        case .ipv6(let high, let low, _, let scope):
            var address = SocketAddress.address(high, low)
            return SocketAddress.text(AF_INET6, &address, INET6_ADDRSTRLEN) + (scope == 0 ? "" : "%\(scope)")
        case .unix: return nil
        }
    }

    /// The path of a Unix socket in the file system, as `File.Path` describes it; nil for any other address.
    public var path: String? { filePath?.description }

    /// The path of a Unix socket in the file system, byte for byte; nil for any other address.
    public var filePath: File.Path? {
        guard case .unix(let bytes) = kind, let first = bytes.first, first != 0 else { return nil }
        return File.Path(bytes: bytes)
    }

    private static func text(_ family: CInt, _ address: UnsafeRawPointer, _ room: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(room)) { buffer in
            inet_ntop(family, address, buffer.baseAddress!, socklen_t(room)).map { String(cString: $0) } ?? "?"
        }
    }

    private static func tooLong(_ name: String) -> IOError {
        IOError(code: ENAMETOOLONG, operation: "address", subject: "unix:\(name)")
    }

    private static func invalid(_ text: String) -> IOError {
        IOError(code: EINVAL, operation: "address", subject: text)
    }
}

extension SocketAddress {
    /// A host and a port for messages, written as an address with that port is.
    static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address as `127.0.0.1:80`, `[::1]:80`, `unix:/path`, or `unix:@name` for a Unix socket in no file system.
    public var description: String {
        switch kind {
        case .ipv4(_, let port): return "\(host!):\(port)"
        case .ipv6(_, _, let port, _): return "[\(host!)]:\(port)"
        case .unix(let bytes):
            let isAbstract = bytes.first == 0
            return "unix:\(isAbstract ? "@" : "")\(File.Path(bytes: isAbstract ? bytes.dropFirst() : bytes[...]))"
        }
    }
}
