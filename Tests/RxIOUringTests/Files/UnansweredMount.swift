// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// A file system with one file, whose server answers neither reads nor writes, and in the end nothing at all.
///
/// Speaks FUSE, as `linux/fuse.h` describes it. With the last reference the kernel ends what waits for an answer.
final class UnansweredMount: @unchecked Sendable {
    private let folder = TemporaryFolder()
    private let device: CInt
    private let server: FUSEServer
    private let hasEnded = OneShot()

    /// Nil if this process may not mount.
    ///
    /// - Parameters:
    ///   - last: the last request that is answered, of a server that the kernel asks anew for each path and permission.
    ///   - isAskedAnew: true if the kernel is to do so in any case.
    init?(lastAnswered last: LastRequest? = nil, isAskedAnew: Bool = false) {
        let isAskedAnew = isAskedAnew || last != nil
        device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        if device < 0 { return nil }
        var options = "fd=\(device),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        if isAskedAnew { options += ",default_permissions" }
        if mount("rx-test", folder.path, "fuse", UInt(MS_NOSUID | MS_NODEV), options) != 0 {
            close(device)
            return nil
        }
        server = FUSEServer(device, lastAnswered: last, isAskedAnew)
        server.begin()
        // A test that hangs could not be killed otherwise: the kernel has its threads wait for its own server.
        Thread.detachNewThread { [path = folder.path, hasEnded] in
            if !hasEnded.wait(seconds: 60) { UnansweredMount.unmount(path) }
        }
    }

    enum LastRequest: CaseIterable, Sendable {
        /// That for the status of the file.
        case status
        case open
    }

    deinit { end() }

    /// Ends the connection: the kernel answers in the server's place that nothing can be had.
    func end() {
        hasEnded.fire()
        UnansweredMount.unmount(folder.path)
    }

    private static func unmount(_ path: String) { umount2(path, CInt(MNT_FORCE | MNT_DETACH)) }

    static let isAllowed = UnansweredMount() != nil

    var file: String { folder["file"] }

    /// The number of requests without an answer.
    var waitingCount: Int { server.unanswered.value }

    /// From now on no request is answered.
    func stopAnswering() { server.isGone.increment() }
}

private final class FUSEServer: @unchecked Sendable {
    let unanswered = AtomicCounter(0)
    let isGone = AtomicCounter(0)
    private let device: CInt
    private let last: UnansweredMount.LastRequest?
    /// The seconds for which the kernel keeps attributes.
    private let lifetime: UInt64

    init(_ device: CInt, lastAnswered last: UnansweredMount.LastRequest?, _ isAskedAnew: Bool) {
        self.device = device
        self.last = last
        lifetime = isAskedAnew ? 0 : 1_000
    }

    func begin() { Thread.detachNewThread(serve) }

    private enum Request: UInt32 {
        case lookUp = 1
        case forget = 2
        case attributes = 3
        case open = 14
        case read = 15
        case write = 16
        case release = 18
        case synchronize = 20
        case flush = 25
        case initialize = 26
        case batchForget = 42
    }

    /// The folder is node 1.
    private static let fileNode: UInt64 = 2
    private static let fileSize: UInt64 = 1 << 20

    private func serve() {
        var message = [UInt8](repeating: 0, count: 1 << 18)
        while case let count = read(device, &message, message.count), count >= 40 || count < 0 && errno == EINTR {
            if count < 0 { continue }
            message.withUnsafeBytes {
                respond(
                    to: Request(rawValue: $0.load(fromByteOffset: 4, as: UInt32.self)),
                    $0.load(fromByteOffset: 8, as: UInt64.self), node: $0.load(fromByteOffset: 16, as: UInt64.self))
            }
        }
        close(device)
    }

    private func respond(to request: Request?, _ id: UInt64, node: UInt64) {
        switch request {
        case .forget, .batchForget: break
        case _ where isGone.value > 0: unanswered.increment()
        case .read, .write, .synchronize: unanswered.increment()
        case .initialize: answer(id, initialization)
        case .lookUp:
            answer(id, words(FUSEServer.fileNode, 0, 1_000, lifetime, 0) + attributes(of: FUSEServer.fileNode))
        case .attributes:
            if last == .status, node == FUSEServer.fileNode { isGone.increment() }
            answer(id, words(lifetime, 0) + attributes(of: node))
        // The kernel keeps what it has cached: otherwise it would wait for the reads that are under way.
        case .open:
            if last == .open { isGone.increment() }
            answer(id, words(0, 2))
        case .release, .flush: answer(id, [])
        case nil: answer(id, [], error: ENOSYS)
        }
    }

    private func words(_ words: UInt64...) -> [UInt8] { words.withUnsafeBytes { Array($0) } }

    private func answer(_ id: UInt64, _ body: [UInt8], error: CInt = 0) {
        var message: [UInt8] = []
        withUnsafeBytes(of: UInt32(16 + body.count)) { message += $0 }
        withUnsafeBytes(of: -error) { message += $0 }
        message += words(id) + body
        _ = write(device, message, message.count)
    }

    /// Version 7.31, and requests of 128 KiB at most. Reads are synchronous: the kernel waits for them also where it is told not to.
    private var initialization: [UInt8] {
        let body = words(7 | 31 << 32, 131_072, 0, 131_072 | 1 << 32)
        return body + [UInt8](repeating: 0, count: 64 - body.count)
    }

    private func attributes(of node: UInt64) -> [UInt8] {
        let kind = node == FUSEServer.fileNode ? S_IFREG : S_IFDIR
        let status: [UInt32] = [0, 0, 0, UInt32(kind) | 0o755, 1, 0, 0, 0, 4_096, 0]
        return words(node, FUSEServer.fileSize, 8, 0, 0, 0) + status.withUnsafeBytes { Array($0) }
    }
}
