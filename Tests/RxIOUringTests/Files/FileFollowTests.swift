// SPDX-License-Identifier: Apache-2.0

import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// What a stream that follows a file of the folder emits.
func follow(
    _ folder: TemporaryFolder, _ start: File.FollowStart = .beginning, _ scheduler: IOUringScheduler,
    name: String = "log"
) -> Received<[UInt8]> {
    Received.bytes(File.follow(folder[name], from: start, scheduler: scheduler))
}

/// Waits until the loop has done the work that is due now, also that of threads, if there are processors for them.
func settle(_ scheduler: IOUringScheduler, microseconds: UInt32 = 50_000) {
    usleep(microseconds)
    scheduler.performAndWait {}
}

@Suite struct FileFollowTests {
    @Test("Existing and appended bytes come in order", arguments: Backend.built)
    func appended(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("one ".utf8, to: "log")
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("one "))
            folder.append("two ".utf8, to: "log")
            #expect(await received.becomes("one two "))
            for number in 0..<200 { folder.append("\(number),".utf8, to: "log") }
            #expect(await received.becomes("one two " + (0..<200).map { "\($0)," }.joined()))
            #expect(!received.hasEnded)
            received.dispose()
        }
    }

    /// The fault: after a change of the working directory a rotation was lost, or a file of the other directory was taken for the new one.
    @Test("A path without a folder names a file of the working directory of then", arguments: Backend.built)
    func relativePath(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = getcwd(nil, 0)
            defer { free(before) }
            #expect(chdir(folder.path) == 0)
            let received = Received.bytes(File.follow("log", from: .beginning, scheduler: scheduler))
            folder.append("one ".utf8, to: "log")
            #expect(await received.becomes("one "))
            #expect(chdir(before!) == 0)
            folder.rename("log", to: "log.1")
            folder.append("late ".utf8, to: "log.1")
            folder.append("two".utf8, to: "log")
            #expect(await received.becomes("one late two"))
            received.dispose()
        }
    }

    @Test("Following from the end skips the existing bytes", arguments: Backend.built)
    func fromEnd(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("old ".utf8, to: "log")
            let received = follow(folder, .end, scheduler)
            // Threads may have to look the path up, and the stream begins at the end that the file has then.
            settle(scheduler, microseconds: 200_000)
            folder.append("new".utf8, to: "log")
            #expect(await received.becomes("new"))
            received.dispose()
        }
    }

    @Test(
        "A file that is created later is read from its beginning", arguments: Backend.built, File.FollowStart.allCases)
    func missingFile(_ backend: Backend, _ start: File.FollowStart) async {
        await leavingNothing(backend) { folder, scheduler in
            let received = follow(folder, start, scheduler)
            settle(scheduler, microseconds: 200_000)
            folder.append("x".utf8, to: "another")
            folder.append("new".utf8, to: "log")
            #expect(await received.becomes("new"))
            received.dispose()
        }
    }

    @Test("A truncated file is read again from its beginning", arguments: Backend.built)
    func truncated(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("long line ".utf8, to: "log")
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("long line "))
            truncate(folder["log"], 0)
            settle(scheduler)
            folder.append("short".utf8, to: "log")
            #expect(await received.becomes("long line short"))
            // The same file, truncated and written in one step.
            folder.put("abc".utf8, into: "log")
            #expect(await received.becomes("long line shortabc"))
            received.dispose()
        }
    }

    /// The fault: the file counted as truncated, and was read again from its beginning for ever.
    @Test("A file whose size is said to be less than its content is read once", arguments: Backend.built)
    func untrueSize(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let content = File.read("/proc/self/limits", scheduler: scheduler)
            let expected = Received.bytes(content)
            #expect(await expected.ends())
            let received = Received.bytes(File.follow("/proc/self/limits", from: .beginning, scheduler: scheduler))
            #expect(await received.becomes(expected.text))
            settle(scheduler)
            #expect(received.text == expected.text)
            received.dispose()
        }
    }

    @Test("A rotation by renaming loses no byte", arguments: Backend.built)
    func rotation(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("1 ".utf8, to: "log")
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("1 "))
            folder.rename("log", to: "log.1")
            // The writer still has the renamed file open.
            folder.append("2 ".utf8, to: "log.1")
            #expect(await received.becomes("1 2 "))
            folder.append([], to: "log")
            settle(scheduler)
            folder.append("3 ".utf8, to: "log.1")
            #expect(await received.becomes("1 2 3 "))
            folder.append("4 ".utf8, to: "log")
            #expect(await received.becomes("1 2 3 4 "))
            settle(scheduler)
            // The stream has left the renamed file.
            folder.append("lost".utf8, to: "log.1")
            folder.append("5".utf8, to: "log")
            #expect(await received.becomes("1 2 3 4 5"))
            received.dispose()
        }
    }

    @Test("Many rotations in a row are followed in order", arguments: Backend.built)
    func manyRotations(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = descriptorCount()
            let received = follow(folder, .beginning, scheduler)
            var expected = ""
            for round in 0..<50 {
                folder.append("<\(round)".utf8, to: "log")
                folder.append(">".utf8, to: "log")
                expected += "<\(round)>"
                // Waits in each round, or a file may come and go between two looks.
                #expect(await received.becomes(expected))
                if round % 2 == 0 { folder.rename("log", to: "log.1") } else { folder.remove("log") }
            }
            // The last file and the watcher are open, and no earlier file.
            settle(scheduler)
            #expect(descriptorCount() == before + 2)
            received.dispose()
        }
    }

    @Test("Files that take the name while the observer lags are read in order", arguments: Backend.built)
    func laggingObserver(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("0 ".utf8, to: "log")
            let queue = BlockedQueue()
            let emitted = AtomicCounter(0)
            // The first two chunks fill the hop: each weighs a megabyte.
            let received = Received<[UInt8]>(
                File.follow(folder["log"], from: .beginning, chunkSize: 1 << 20, window: 4, scheduler: scheduler)
                    .do(onNext: { _ in emitted.increment() }).observe(on: queue.scheduler).map { Array($0) })
            #expect(await eventually { emitted.value == 1 })
            for round in 1...5 {
                folder.rename("log", to: "log.\(round)")
                folder.append("\(round) ".utf8, to: "log")
                settle(scheduler)
            }
            #expect(emitted.value == 2)
            queue.open()
            #expect(await received.becomes("0 1 2 3 4 5 "))
            received.dispose()
        }
    }

    @Test("Files beyond the number that may wait are skipped with a notice", arguments: Backend.built)
    func skippedFiles(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let handler = IOHooks.noticeHandler
            defer { IOHooks.noticeHandler = handler }
            let lock = Mutex()
            nonisolated(unsafe) var notices: [String] = []
            IOHooks.noticeHandler = { notice in lock.withLock { notices.append(notice) } }
            folder.append("0 ".utf8, to: "log")
            let queue = BlockedQueue()
            let emitted = AtomicCounter(0)
            // The first two chunks fill the hop: each weighs a megabyte.
            let received = Received<[UInt8]>(
                File.follow(folder["log"], from: .beginning, chunkSize: 1 << 20, window: 4, scheduler: scheduler)
                    .do(onNext: { _ in emitted.increment() }).observe(on: queue.scheduler).map { Array($0) })
            #expect(await eventually { emitted.value == 1 })
            for round in 1...20 {
                folder.rename("log", to: "log.\(round)")
                folder.append("\(round) ".utf8, to: "log")
                settle(scheduler)
            }
            #expect(notices.count == 1 && notices[0].contains(folder["log"]))
            queue.open()
            #expect(await received.becomes("0 " + (1...17).map { "\($0) " }.joined() + "20 "))
            received.dispose()
        }
    }

    @Test("A file that is deleted and created again is followed", arguments: Backend.built)
    func recreated(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("a".utf8, to: "log")
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("a"))
            for letter in ["b", "c", "d"] {
                folder.remove("log")
                settle(scheduler)
                folder.append(letter.utf8, to: "log")
                #expect(await eventually { received.text.hasSuffix(letter) })
            }
            #expect(received.text == "abcd")
            // A file that is created under another name and renamed.
            folder.append("e".utf8, to: "other")
            folder.rename("other", to: "log")
            #expect(await received.becomes("abcde"))
            received.dispose()
        }
    }

    @Test("A file that gets its old name back is read again and followed", arguments: Backend.built)
    func regainedName(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("a ".utf8, to: "log")
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("a "))
            folder.rename("log", to: "first")
            folder.append([], to: "log")
            settle(scheduler)
            folder.rename("first", to: "log")
            #expect(await received.becomes("a a "))
            settle(scheduler)
            folder.append("b".utf8, to: "log")
            #expect(await received.becomes("a a b"))
            received.dispose()
        }
    }

    /// The kernel drops events beyond its limit, and the stream then looks for their files.
    @Test("An overflow of the kernel's event queue loses no byte", arguments: Backend.built)
    func overflow(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("a".utf8, to: "log")
            let isBlocked = OneShot()
            let proceed = OneShot()
            let received = Received<[UInt8]>(
                File.follow(folder["log"], from: .beginning, scheduler: scheduler).map { Array($0) },
                onNext: { bytes in
                    guard bytes == [97] else { return }
                    isBlocked.fire()
                    #expect(proceed.wait())
                })
            #expect(isBlocked.wait())
            // The events alternate, so that the kernel cannot merge them.
            let most = folder.put([], into: "x")
            for _ in 0..<9_000 {
                Glibc.rename(most, folder["y"])
                Glibc.rename(folder["y"], most)
            }
            folder.append("b".utf8, to: "log")
            folder.rename("log", to: "log.1")
            folder.append("c".utf8, to: "log")
            proceed.fire()
            #expect(await received.becomes("abc"))
            folder.append("d".utf8, to: "log")
            #expect(await received.becomes("abcd"))
            received.dispose()
        }
    }

    @Test("A line of a growing file comes when it is complete", arguments: Backend.built)
    func growingLines(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let received = Received(File.follow(folder["log"], from: .beginning, scheduler: scheduler).lines())
            settle(scheduler)
            folder.append("a\nb".utf8, to: "log")
            #expect(await eventually { received.elements == ["a"] })
            folder.append("c\n".utf8, to: "log")
            #expect(await eventually { received.elements == ["a", "bc"] })
            received.dispose()
        }
    }

    @Test("An observer on another thread misses no line of a busy writer", arguments: Backend.built)
    func busyWriter(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let received = Received<Int>(
                File.follow(folder["log"], from: .beginning, chunkSize: 1_000, scheduler: scheduler)
                    .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "elsewhere"))
                    .lines().map { Int($0) ?? -1 })
            settle(scheduler)
            race([
                {
                    for number in 0..<20_000 {
                        if number % 500 == 0 { folder.append([], to: "log") }
                        folder.append("\(number)\n".utf8, to: "log")
                    }
                }
            ])
            #expect(await eventually { received.elements.count == 20_000 })
            #expect(received.elements == Array(0..<20_000))
            received.dispose()
        }
    }

    @Test("Disposing races with appends and rotations", arguments: Backend.built)
    func disposeRace(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let isOver = AtomicWord(0)
            race(
                {
                    for round in 0..<stepCount(2_000, debug: 1_000) {
                        let subscription = File.follow(folder["log"], scheduler: scheduler).subscribe()
                        jitter(round)
                        if round % 3 == 0 { usleep(50) }
                        subscription.dispose()
                    }
                    isOver.storeReleasing(1)
                },
                {
                    var round = 0
                    while isOver.loadAcquiring() == 0 {
                        folder.append("x".utf8, to: "log")
                        if round % 5 == 0 { folder.rename("log", to: "log.1") }
                        round += 1
                    }
                })
        }
    }

    @Test("Shutting the loop down ends the following with an error", arguments: Backend.built)
    func shutdown(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let received = follow(folder, .end, scheduler)
            settle(scheduler)
            scheduler.shutdown()
            #expect(received.error?.code == ECANCELED)
        }
    }
}
