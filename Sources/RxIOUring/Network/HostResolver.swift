// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

/// The system's resolver, which blocks. Tests put another one in its place.
package enum HostResolver {
    /// Resolves a host to addresses with a port, on a thread that may block.
    package typealias Resolve = @Sendable (_ host: String, _ port: Int) -> Result<[SocketAddress], IOError>

    /// The resolver of all look-ups that begin later. From any thread.
    package static var current: Resolve {
        get { resolve.value }
        set { resolve.value = newValue }
    }

    private static let resolve = LockedBox<Resolve>({ host, port in SocketAddress.resolveNow(host, port) })
}

extension EventLoop {
    /// Resolves a host without blocking the loop. Only on the loop thread.
    ///
    /// - Parameter whenDone: receives the addresses on the loop thread, after this has returned. Retained until then, or until the call
    ///   is cancelled.
    /// - Returns: the call under way. Cancelled before it began it asks no resolver; later, its thread ends it alone.
    func resolve(
        _ host: String, _ port: Int, whenDone: @escaping (Result<[SocketAddress], IOError>) -> Void
    ) -> BlockingCall<Result<[SocketAddress], IOError>> {
        BlockingCall(on: self, in: configuration.lookups) {
            HostResolver.current(host, port)
        } whenDone: { result in
            switch result {
            case .success(let resolved): whenDone(resolved)
            case .failure(let error): whenDone(.failure(error.ioError(subject: SocketAddress.text(host, port))))
            }
        }
    }
}
