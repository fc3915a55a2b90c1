// SPDX-License-Identifier: Apache-2.0

import Glibc

extension SocketAddress {
    /// The number of bytes in `sun_path`.
    static let unixRoom = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    var family: CInt {
        switch kind {
        case .ipv4: return AF_INET
        case .ipv6: return AF_INET6
        case .unix: return AF_UNIX
        }
    }

    /// The address that the kernel wrote; nil for an unknown family. An IPv4 peer of an IPv6 socket has its IPv4 address.
    init?(_ storage: UnsafePointer<sockaddr_storage>, length: socklen_t) {
        let raw = UnsafeRawPointer(storage)
        switch CInt(storage.pointee.ss_family) {
        case AF_INET:
            let address = raw.load(as: sockaddr_in.self)
            kind = .ipv4(UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = raw.load(as: sockaddr_in6.self)
            let (high, low) = SocketAddress.halves(address.sin6_addr)
            let port = UInt16(bigEndian: address.sin6_port)
            if let number = SocketAddress.mappedIPv4(high, low) {
                kind = .ipv4(number, port: port)
            } else {
                kind = .ipv6(high: high, low: low, port: port, scope: address.sin6_scope_id)
            }
        case AF_UNIX:
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
            let count = max(0, min(Int(length) - offset, SocketAddress.unixRoom))
            var bytes = Array(UnsafeRawBufferPointer(start: raw + offset, count: count))
            // A path ends with a zero byte; a name in no file system begins with one.
            if bytes.first != 0, let end = bytes.firstIndex(of: 0) { bytes.removeSubrange(end...) }
            kind = .unix(bytes)
        default: return nil
        }
    }

    /// The lower half of the IPv6 addresses in which IPv4 addresses are mapped.
    private static let mapped: UInt64 = 0xFFFF_0000_0000

    /// The IPv4 address that is mapped in an IPv6 address, of which these are the halves; nil if none is.
    static func mappedIPv4(_ high: UInt64, _ low: UInt64) -> UInt32? {
        high == 0 && low >> 32 == mapped >> 32 ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// The address as a socket of a family needs it: an IPv4 address is mapped for IPv6.
    private func kind(for family: CInt) -> Kind {
        guard case .ipv4(let number, let port) = kind, family == AF_INET6 else { return kind }
        return .ipv6(high: 0, low: SocketAddress.mapped | UInt64(number), port: port, scope: 0)
    }

    /// Writes the address for the kernel, and returns its length.
    ///
    /// - Parameter family: that of the socket; nil if it is that of the address.
    func write(to storage: UnsafeMutablePointer<sockaddr_storage>, for family: CInt? = nil) -> socklen_t {
        storage.initialize(to: sockaddr_storage())
        let raw = UnsafeMutableRawPointer(storage)
        switch kind(for: family ?? self.family) {
        case .ipv4(let number, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            raw.storeBytes(of: address, as: sockaddr_in.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6(let high, let low, let port, let scope):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = SocketAddress.address(high, low)
            address.sin6_scope_id = scope
            raw.storeBytes(of: address, as: sockaddr_in6.self)
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let bytes):
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
            storage.pointee.ss_family = sa_family_t(AF_UNIX)
            bytes.withUnsafeBytes { path in
                if let first = path.baseAddress { (raw + offset).copyMemory(from: first, byteCount: path.count) }
            }
            let closing = bytes.first == 0 || bytes.isEmpty ? 0 : 1
            return socklen_t(offset + bytes.count + closing)
        }
    }

    /// Lends the address in the form that a system call expects, for a socket of a family; nil for that of the address.
    func withSocketAddress<Result>(
        for family: CInt? = nil, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: sockaddr_storage.self, capacity: 1) { storage in
            let length = write(to: storage.baseAddress!, for: family)
            return body(UnsafeRawPointer(storage.baseAddress!).assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    /// The address that `getsockname` or a similar call fills in; nil if the call fails.
    static func reported(
        _ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        withUnsafeTemporaryAllocation(of: sockaddr_storage.self, capacity: 1) { storage in
            let place = storage.baseAddress!
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            guard fill(UnsafeMutableRawPointer(place).assumingMemoryBound(to: sockaddr.self), &length) == 0 else {
                return nil
            }
            return SocketAddress(place, length: length)
        }
    }

    static func halves(_ address: in6_addr) -> (UInt64, UInt64) {
        withUnsafeBytes(of: address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    static func address(_ high: UInt64, _ low: UInt64) -> in6_addr {
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }
}
