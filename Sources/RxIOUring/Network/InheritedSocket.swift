// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// A socket that the service manager opened before it started this program (systemd's socket activation).
///
///     let listener = try Listener.adopt(InheritedSocket.all()[0].descriptor, scheduler: loop)
public struct InheritedSocket: Sendable, Hashable {
    /// The number of the open descriptor.
    public let descriptor: CInt

    /// The name that the manager gave to it (`FileDescriptorName=`); empty if it gave none.
    public let name: String

    /// The sockets that were passed to this process, in the order of the manager's configuration; none if it was started otherwise.
    ///
    /// Reads the variables `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` of the environment, and leaves them there. The descriptors are closed in
    /// programs that are run from now on.
    /// - Throws: `IOError` (`inherit`): `EINVAL` if a number in the environment is none, `EBADF` if a descriptor is not open.
    public static func all() throws -> [InheritedSocket] {
        try all(process: getpid()) { name in rx_environment(name).map { String(cString: $0) } }
    }

    package static func all(
        process: pid_t, first: CInt = 3, variable: (String) -> String?
    ) throws -> [InheritedSocket] {
        guard let owner = variable("LISTEN_PID"), let number = variable("LISTEN_FDS") else { return [] }
        guard let owner = pid_t(owner) else { throw invalid("LISTEN_PID", owner) }
        // The variables are those of a parent, which did not remove them.
        if owner != process { return [] }
        guard let count = CInt(number), count >= 0, count <= CInt.max - first else {
            throw invalid("LISTEN_FDS", number)
        }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var found: [InheritedSocket] = []
        // `map` would reserve memory for the whole number at once, however large a number the parent has written.
        for place in 0..<count {
            let descriptor = first + place
            let flags = fcntl(descriptor, F_GETFD)
            if flags < 0 || fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) != 0 {
                throw IOError(code: errno, operation: "inherit", subject: "descriptor \(descriptor)")
            }
            let name = Int(place) < names.count ? String(names[Int(place)]) : ""
            found.append(InheritedSocket(descriptor: descriptor, name: name))
        }
        return found
    }

    private static func invalid(_ name: String, _ value: String) -> IOError {
        IOError(code: EINVAL, operation: "inherit", subject: "\(name)=\(value)")
    }
}
