// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxPrimitives
import TestSupport

/// A name of a host that the test resolves itself.
final class TestHost: Sendable {
    let name: String
    /// The number of look-ups that have begun.
    let lookUps = AtomicCounter(0)
    private let isOpen: AtomicCounter
    private let result: Result<[SocketAddress], IOError>

    private static let number = AtomicWord(0)
    private static let hosts = Guarded<[String: TestHost]>([:])
    private static let installed: Void = {
        let system = HostResolver.current
        HostResolver.current = { host, port in
            guard let known = hosts.value[host] else { return system(host, port) }
            return known.resolve()
        }
    }()

    /// - Parameter waits: true if look-ups take until `open` is called.
    init(_ result: Result<[SocketAddress], IOError>, waits: Bool = false) {
        self.result = result
        isOpen = AtomicCounter(waits ? 0 : 1)
        name = "host-\(TestHost.number.fetchAdd(1)).test"
        TestHost.installed
        TestHost.hosts.change { $0[name] = self }
    }

    func open() { isOpen.increment() }

    private func resolve() -> Result<[SocketAddress], IOError> {
        lookUps.increment()
        while isOpen.value == 0 { usleep(500) }
        return result
    }
}
