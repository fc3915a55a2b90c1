// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// What kind of file a path or a descriptor leads to, and its size.
struct FileStatus {
    /// Distinguishes a file from all others that exist.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    /// Distinguishes a mount from all others that there are, and from Linux 6.8 on from those that there were.
    struct Mount: Hashable {
        let device: UInt64
        let number: UInt64
    }

    let identity: Identity
    let mount: Mount
    /// The number of bytes.
    let size: Int64
    /// `S_IFREG` and the like.
    let type: mode_t

    init(_ status: rx_file_status) {
        identity = Identity(device: status.device, number: status.number)
        mount = Mount(device: status.device, number: status.mount)
        size = status.size
        type = mode_t(status.mode) & S_IFMT
    }

    /// The status of an open file, as far as this machine knows it: it asks no server, and so does not block.
    init(of descriptor: Descriptor) {
        var status = rx_file_status()
        // This cannot fail for an open descriptor.
        _ = rx_file_status_of(descriptor.fd, &status)
        self.init(status)
    }

    /// True if reads and writes have positions.
    var isRegular: Bool { type == S_IFREG }

    /// Looks a path up. Blocks unless `cached`, which fails with `EAGAIN` where the kernel cannot answer from memory.
    static func look(_ path: File.Path, cached: Bool) -> Result<FileStatus, SystemError> {
        var status = rx_file_status()
        let result = rx_file_look_up(path.cString, cached, &status)
        if result == 0 { return .success(FileStatus(status)) }
        return .failure(SystemError(code: -result, operation: "open"))
    }
}

extension EventLoop {
    /// Looks a path up without blocking the loop. Only on the loop thread; the path has no NUL character.
    ///
    /// - Parameters:
    ///   - whenDone: receives the status, or the error of `open` or `pthread_create`. Called before this returns if the kernel answers from
    ///     memory, else later.
    /// - Returns: as of `open`.
    func lookUp(
        _ path: File.Path, whenDone: @escaping (Result<FileStatus, SystemError>) -> Void
    ) -> BlockingCall<Result<FileStatus, SystemError>>? {
        let known = FileStatus.look(path, cached: true)
        if case .failure(let error) = known, error.code == EAGAIN {
            return BlockingCall(on: self, in: configuration.files) {
                FileStatus.look(path, cached: false)
            } whenDone: {
                whenDone($0.flatMap { $0 })
            }
        }
        whenDone(known)
        return nil
    }
}
