// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The opening of a file to be written, or the creation of its replacement, under way. Used only on the loop thread.
struct TargetOpening {
    /// Ends it: its receiver is not called any more, and what is opened later is closed.
    let cancel: () -> Void

    init(_ cancel: @escaping () -> Void) { self.cancel = cancel }

    /// Creates the replacement of a file, on a thread that may wait for the disk.
    static func replacement(
        of path: File.Path, permissions: UInt32, on loop: EventLoop,
        whenDone: @escaping (Result<FileTarget.Opened, IOError>) -> Void
    ) -> TargetOpening {
        let call = BlockingCall(on: loop, in: loop.configuration.files) {
            Result { () throws(IOError) in
                let replacement = try FileReplacement(path, permissions: permissions)
                return (replacement, LocalMounts.shared.blocking(of: replacement.fd))
            }
        } release: { created in
            if case .success(let (replacement, _)) = created { _ = Glibc.close(replacement.fd) }
        } whenDone: { result in
            whenDone(
                result.mapError { $0.ioError(subject: path.description) }.flatMap { created in
                    created.map { replacement, blocking in
                        FileTarget.Opened(
                            descriptor: Descriptor(replacement.fd, on: loop, blocking: blocking),
                            layout: .positions(end: 0),
                            replacement: replacement)
                    }
                })
        }
        return TargetOpening(call.cancel)
    }
}
