// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct UnixTests {
    @Test("The file of a relative path is removed from the directory in which it was made", arguments: Backend.built)
    func relativePath(_ backend: Backend) throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        let before = FileManager.default.currentDirectoryPath
        defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
            let listener = try Unix.listener(path: "relative", scheduler: scheduler)
            #expect(FileManager.default.changeCurrentDirectoryPath(other.path))
            #expect(access(folder["relative"], F_OK) == 0)
            listener.close()
            #expect(access(folder["relative"], F_OK) != 0)
            scheduler.shutdown()
        }
    }

    @Test("A Unix socket has no IP address", arguments: Backend.built)
    func internetAddress(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let address = try SocketAddress(ipv4: "127.0.0.1", port: 0)
            #expect(throws: IOError(code: EAFNOSUPPORT, operation: "listen", subject: "127.0.0.1:0")) {
                try Unix.listener(at: address, scheduler: scheduler)
            }
            scheduler.shutdown()
        }
    }

    @Test("Connecting to a socket with a full backlog waits for room", arguments: Backend.built)
    func fullBacklog(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: folder["s"], backlog: 1, scheduler: scheduler)
            let connected = Guarded(0)
            let errors = Guarded<[CInt]>([])
            let connections = Guarded<[Connection]>([])
            let attempts = (0..<4).map { _ in
                Unix.connect(path: folder["s"], scheduler: scheduler).subscribe(
                    onSuccess: { connection in
                        connections.change { $0.append(connection) }
                        connected.change { $0 += 1 }
                    }, onFailure: { error in errors.change { $0.append(code(error)) } })
            }
            // Linux lets one more wait than the backlog says.
            #expect(waitUntil { connected.value == 2 })
            let late = Guarded<CInt>(0)
            let hasty = Unix.connect(path: folder["s"], timeout: .milliseconds(50), scheduler: scheduler)
                .subscribe(onFailure: { late.value = code($0) })
            #expect(waitUntil { late.value == ETIMEDOUT })
            #expect(connected.value < 4)
            let accepted = listener.connections.subscribe(onNext: { connection in
                connections.change { $0.append(connection) }
            })
            #expect(waitUntil { connected.value == 4 })
            #expect(errors.value == [])
            hasty.dispose()
            for attempt in attempts { attempt.dispose() }
            accepted.dispose()
            connections.value = []
            scheduler.shutdown()
        }
    }

    /// The fault: io_uring gave each of them a thread of the kernel, which counts as one of the process.
    @Test("Clients that wait for room occupy no threads", arguments: Backend.built)
    func waitingClients(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        let workers = { threadCount(hasPrefix: "iou-wrk") }
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: folder["s"], backlog: 1, scheduler: scheduler)
            let connections = Guarded<[Connection]>([])
            let attempts = (0..<200).map { _ in
                Unix.connect(path: folder["s"], scheduler: scheduler)
                    .subscribe(onSuccess: { connection in connections.change { $0.append(connection) } })
            }
            #expect(waitUntil { connections.value.count == 2 })
            usleep(500_000)
            #expect(workers() < 20)
            let accepted = listener.connections.subscribe(onNext: { connection in
                connections.change { $0.append(connection) }
            })
            #expect(waitUntil { connections.value.count == 400 })
            for attempt in attempts { attempt.dispose() }
            accepted.dispose()
            connections.value = []
            scheduler.shutdown()
        }
    }

    @Test("The file of a Unix socket goes with its listener", arguments: Backend.built)
    func socketFile(_ backend: Backend) throws {
        try leavingNothingBehind {
            var template = Array("/tmp/rx-unix-XXXXXX".utf8CString)
            let folder = String(cString: mkdtemp(&template))
            let path = folder + "/socket"
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(path: path, scheduler: scheduler)
            #expect(listener.description == "Listener(unix:\(path))")
            #expect(throws: IOError(code: EADDRINUSE, operation: "bind", subject: "unix:\(path)")) {
                try Unix.listener(path: path, scheduler: scheduler)
            }
            let server = listener.connections.subscribe(onNext: { connection in
                _ = connection.received.subscribe(onNext: { connection.send($0) })
            })
            let log = EventLog()
            let client = Unix.connect(path: path, scheduler: scheduler).asObservable()
                .flatMap { connection in
                    connection.send("over a file")
                    return connection.received
                }
                .subscribe(onNext: { log.note(String($0)) })
            #expect(waitUntil { log.lines.joined() == "over a file" })
            client.dispose()
            server.dispose()
            #expect(waitUntil { access(path, F_OK) != 0 })
            let error = Guarded<CInt>(0)
            let failing = Unix.connect(path: path, scheduler: scheduler)
                .subscribe(onFailure: { error.value = ($0 as! IOError).code })
            #expect(waitUntil { error.value == ENOENT })
            failing.dispose()
            scheduler.shutdown()
            rmdir(folder)
        }
    }

    @Test("A listener that closes leaves the file of its successor alone", arguments: Backend.built)
    func successor(_ backend: Backend) throws {
        let folder = TemporaryFolder()
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let first = try Unix.listener(path: folder["s"], scheduler: scheduler)
            unlink(folder["s"])
            let second = try Unix.listener(path: folder["s"], scheduler: scheduler)
            first.close()
            #expect(scheduler.performAndWait { true })
            #expect(access(folder["s"], F_OK) == 0)
            second.close()
            #expect(waitUntil { access(folder["s"], F_OK) != 0 })
            scheduler.shutdown()
        }
    }

    @Test("Unix sockets with abstract names connect", arguments: Backend.built)
    func abstractName(_ backend: Backend) throws {
        try leavingNothingBehind {
            // As long as a name may be.
            let name = "rx-test-\(getpid())-\(backend)".padding(toLength: 107, withPad: "x", startingAt: 0)
            let address = try SocketAddress(abstractUnixName: name)
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try Unix.listener(at: address, scheduler: scheduler)
            let server = listener.connections.subscribe(onNext: { $0.send("hi") })
            let log = EventLog()
            let client = TCP.connect(to: address, scheduler: scheduler).asObservable().flatMap { $0.received }
                .subscribe(onNext: { log.note(String($0)) }, onCompleted: { log.note("completed") })
            #expect(waitUntil { log.lines.joined() == "hicompleted" })
            client.dispose()
            server.dispose()
            scheduler.shutdown()
        }
    }
}
