// SPDX-License-Identifier: Apache-2.0

extension SocketAddress: Hashable {
    /// Returns true if the addresses stand for one place.
    public static func == (lhs: SocketAddress, rhs: SocketAddress) -> Bool { lhs.comparable == rhs.comparable }

    /// Hashes the place for which the address stands.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparable) }

    /// The address in the form that equal addresses share.
    private var comparable: Kind {
        guard case .ipv6(let high, let low, let port, let scope) = kind else { return kind }
        if let number = SocketAddress.mappedIPv4(high, low) { return .ipv4(number, port: port) }
        if scope == 0 || SocketAddress.needsScope(high) { return kind }
        return .ipv6(high: high, low: low, port: port, scope: 0)
    }

    /// True if an address, of which this is the upper half, is one of a link: `fe80::/10`, and multicast with the scope of an interface or a link.
    private static func needsScope(_ high: UInt64) -> Bool {
        let first = high >> 48
        return first & 0xFFC0 == 0xFE80 || first & 0xFF0F == 0xFF01 || first & 0xFF0F == 0xFF02
    }
}
