// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// Files of a mount whose server is gone.
@Suite(.serialized, .enabled(if: UnansweredMount.isAllowed)) struct UnansweredFileTests {
    @Test(
        "shutdown() leaves a read without an answer behind after a second, whether it was disposed of or not",
        arguments: Backend.withoutFaults)
    func shutdownLeavesRead(_ backend: Backend) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount())
            let scheduler = IOUringScheduler(backend: backend)
            let received = File.read(mount.file, scheduler: scheduler).received()
            let disposed = File.read(mount.file, scheduler: scheduler).received()
            #expect(soon { mount.waitingCount >= 1 })
            disposed.dispose()
            let start = MonotonicClock.now()
            scheduler.shutdown()
            #expect(MonotonicClock.now() &- start < 5_000_000_000)
            #expect(received.wait())
            #expect((received.error as? IOError)?.code == ECANCELED)
            #expect(disposed.error == nil)
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    @Test(
        "A server that is gone does not stop a loop: neither opening nor reading, writing, following and closing does",
        arguments: Backend.withoutFaults)
    func loopGoesOn(_ backend: Backend) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount())
            let scheduler = IOUringScheduler(backend: backend)
            // The path is in the kernel's memory from now on.
            let first = File.read(mount.file, scheduler: scheduler).received()
            #expect(soon { mount.waitingCount >= 1 })
            let opened = Receiver(File.open(mount.file, scheduler: scheduler).asObservable())
            #expect(soon { opened.elements.count == 1 })
            var file = opened.take().first
            mount.stopAnswering()
            var subscriptions = [
                File.read(mount.file, scheduler: scheduler).subscribe(),
                File.follow(mount.file, from: .beginning, scheduler: scheduler).subscribe(),
                File.write(Observable.just(ByteChunk([1])), to: mount.file, scheduler: scheduler).subscribe(),
            ]
            expectToRun(scheduler)
            if let file {
                subscriptions += [
                    file.read(at: 0, count: 1).subscribe(), file.write(ByteChunk([1, 2, 3])).subscribe(),
                    file.sync().subscribe(),
                ]
            }
            file = nil
            expectToRun(scheduler)
            for subscription in subscriptions { subscription.dispose() }
            first.dispose()
            expectToRun(scheduler)
            // A write without an outcome is waited for.
            mount.end()
            scheduler.shutdown()
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    @Test(
        "shutdown() waits a second, and not one for each, for files that the server does not close",
        arguments: Backend.withoutFaults)
    func shutdownLeavesOpenFiles(_ backend: Backend) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount())
            let scheduler = IOUringScheduler(backend: backend)
            let opened = (0..<8).map { _ in Receiver(File.open(mount.file, scheduler: scheduler).asObservable()) }
            for file in opened { #expect(soon { file.elements.count == 1 }) }
            mount.stopAnswering()
            let start = MonotonicClock.now()
            scheduler.shutdown()
            #expect(MonotonicClock.now() &- start < 4_000_000_000)
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    /// The fault: the loop added the watches of the directory and of the file itself, for which the kernel asks the server.
    @Test(
        "A file of a server that is gone before it is watched stops no loop", arguments: Backend.withoutFaults,
        UnansweredMount.LastRequest.allCases)
    func watch(_ backend: Backend, _ last: UnansweredMount.LastRequest) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount(lastAnswered: last))
            let scheduler = IOUringScheduler(backend: backend)
            let ended = File.follow(mount.file, from: .beginning, scheduler: scheduler).received()
            let disposed = File.follow(mount.file, from: .beginning, scheduler: scheduler).received()
            #expect(soon { mount.waitingCount >= 1 })
            expectToRun(scheduler)
            disposed.dispose()
            expectToRun(scheduler)
            let start = MonotonicClock.now()
            scheduler.shutdown()
            #expect(MonotonicClock.now() &- start < 3_000_000_000)
            #expect((ended.error as? IOError)?.code == ECANCELED)
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    /// A thread may be given the watch that the loop then removes with the other stream. The event of its end leads to a new one, also without
    /// the second question of `WatchAddition`.
    @Test(
        "A directory stays watched when one of its streams begins, and the only other one ends",
        arguments: Backend.withoutFaults, 0..<6)
    func endOfAnotherStream(_ backend: Backend, lastAction: Int) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount())
            let scheduler = IOUringScheduler(backend: backend)
            let first = File.follow(mount.file, from: .beginning, scheduler: scheduler).subscribe()
            #expect(soon { mount.waitingCount >= 1 })
            nonisolated(unsafe) var second: (any Disposable)?
            scheduler.performAndWait {
                second = File.follow(mount.file, from: .beginning, scheduler: scheduler).subscribe()
                // Between two of these the loop takes what a thread has done, and gives it the next thing to do.
                for action in 0..<6 {
                    scheduler.run {
                        usleep(2_000)
                        if action == lastAction { first.dispose() }
                    }
                }
            }
            settle(scheduler)
            #expect(soon { watchedNodes().contains("1") }, "\(watchedNodes())")
            second?.dispose()
            scheduler.shutdown()
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    /// The inodes that the process watches, in hexadecimal.
    private func watchedNodes() -> [Substring] {
        let folder = "/proc/self/fdinfo"
        let texts = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.map {
            (try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) ?? ""
        }
        let words = (texts ?? []).flatMap { $0.split(whereSeparator: \.isWhitespace) }
        return words.filter { $0.hasPrefix("ino:") }.map { $0.dropFirst(4) }
    }

    /// Each of them looks once a second, and the pool has fewer threads than there are streams.
    @Test("Streams of a server that is gone leave a thread to what opens files", arguments: Backend.withoutFaults)
    func manyStreams(_ backend: Backend) throws {
        let descriptors = descriptorCount()
        do {
            let (mount, folder) = (try #require(UnansweredMount(isAskedAnew: true)), TemporaryFolder())
            let scheduler = IOUringScheduler(backend: backend)
            let streams = (0..<40).map { _ in
                File.follow(mount.file, from: .beginning, scheduler: scheduler).subscribe()
            }
            #expect(soon { mount.waitingCount >= 1 })
            usleep(300_000)
            mount.stopAnswering()
            usleep(2_000_000)
            // A thread makes the file.
            let opened = Receiver(
                File.open(folder["new"], mode: .append, scheduler: scheduler).map { _ in }.asObservable())
            #expect(opened.wait(seconds: 5) && opened.isCompleted)
            for stream in streams { stream.dispose() }
            mount.end()
            scheduler.shutdown()
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    /// The fault: the loop looked the path of the socket up itself, and waited for the server.
    @Test("A socket of a mount that does not answer stops no loop", arguments: Backend.withoutFaults)
    func connectToSocket(_ backend: Backend) throws {
        let descriptors = descriptorCount()
        do {
            let mount = try #require(UnansweredMount())
            let scheduler = IOUringScheduler(backend: backend)
            mount.stopAnswering()
            let path = mount.file + "/socket"
            let timed = Receiver(
                Unix.connect(path: path, timeout: .milliseconds(200), scheduler: scheduler).asObservable())
            let disposed = Receiver(Unix.connect(path: path, scheduler: scheduler).asObservable())
            expectToRun(scheduler)
            #expect(timed.wait(seconds: 5))
            #expect((timed.error as? IOError)?.code == ETIMEDOUT)
            disposed.dispose()
            let start = MonotonicClock.now()
            scheduler.shutdown()
            #expect(MonotonicClock.now() &- start < 3_000_000_000)
        }
        #expect(soon { descriptorCount() <= descriptors }, "descriptors are left")
    }

    /// The fault: the loop looked up the path of the file that it removed.
    @Test(
        "The end of a listener whose path leads to such a mount stops no loop, and removes its file",
        arguments: Backend.withoutFaults, [false, true])
    func listenerOfPathThatLeadsElsewhere(_ backend: Backend, _ isDisposed: Bool) throws {
        let folder = TemporaryFolder()
        let mount = try #require(UnansweredMount())
        let scheduler = IOUringScheduler(backend: backend)
        #expect(mkdir(folder["good"], 0o700) == 0)
        #expect(symlink(folder["good"], folder["link"]) == 0)
        let listener = try Unix.listener(path: folder["link/socket"], scheduler: scheduler)
        let accepted = Receiver(listener.connections)
        let connected = Receiver(Unix.connect(path: folder["good/socket"], scheduler: scheduler).asObservable())
        #expect(soon { accepted.elements.count == 1 && connected.elements.count == 1 })
        mount.stopAnswering()
        #expect(unlink(folder["link"]) == 0 && symlink(mount.file, folder["link"]) == 0)
        if isDisposed { accepted.dispose() } else { listener.close() }
        expectToRun(scheduler)
        #expect(soon { access(folder["good/socket"], F_OK) != 0 })
        scheduler.shutdown()
    }

    /// Expects that a loop does what is submitted, also after 100 ms.
    private func expectToRun(_ scheduler: IOUringScheduler, location: SourceLocation = #_sourceLocation) {
        for _ in 0..<2 {
            let isRunning = OneShot()
            scheduler.run { isRunning.fire() }
            #expect(isRunning.wait(seconds: 5), "the loop stands still", sourceLocation: location)
            usleep(100_000)
        }
    }
}
