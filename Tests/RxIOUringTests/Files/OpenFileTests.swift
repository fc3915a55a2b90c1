// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite(.serialized) struct OpenFileTests {
    private func open(
        _ path: String, _ mode: File.OpenMode, writeLimit: Int = 16 << 20, _ scheduler: IOUringScheduler
    ) async -> OpenFile {
        let opened = Received(
            File.open(path, mode: mode, writeLimit: writeLimit, scheduler: scheduler).asObservable())
        #expect(await opened.ends() && opened.error == nil, "\(String(describing: opened.error))")
        return opened.take()[0]
    }

    /// Waits for the outcome of a request, and returns its error.
    private func outcome(_ request: Completable) async -> IOError? {
        let received = Received(request.asObservable())
        #expect(await received.ends())
        return received.error
    }

    private func read(_ file: OpenFile, at offset: Int64, _ count: Int) async -> String? {
        let received = Received(file.read(at: offset, count: count).asObservable())
        #expect(await received.ends())
        return received.elements.first.map { String($0) }
    }

    @Test("Writes of all kinds are done in the order in which they were accepted", arguments: Backend.built)
    func order(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, scheduler)
            var expected = ""
            var writes: [Received<Never>] = []
            for number in 0..<2_000 {
                expected += "\(number),"
                if number % 3 == 0 {
                    #expect(file.append("\(number),"))
                } else {
                    writes.append(Received(file.write(ByteChunk("\(number),")).asObservable()))
                }
            }
            let synchronized = Received(file.sync().asObservable())
            #expect(await synchronized.ends() && synchronized.error == nil)
            // It came behind all writes.
            #expect(writes.allSatisfy { $0.hasCompleted })
            #expect(folder.bytes(of: "a") == Array(expected.utf8))
            #expect(file.queuedBytes == 0 && file.description == "OpenFile(\(folder["a"]))")
        }
    }

    /// The fault: what has no bytes was not counted.
    @Test("Writes without bytes and synchronizations count", arguments: Backend.built)
    func emptyWrites(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .append, writeLimit: 1 << 20, scheduler)
            let (isBusy, mayGoOn) = (OneShot(), OneShot())
            scheduler.run {
                isBusy.fire()
                _ = mayGoOn.wait(seconds: 10)
            }
            #expect(isBusy.wait(seconds: 10))
            // Bytes leave room for what has none.
            #expect(file.append(ByteChunk([UInt8](repeating: 1, count: 1 << 20))))
            let synchronized = Received(file.sync().asObservable())
            let requests = (0..<4_000).map { number in
                Received((number.isMultiple(of: 2) ? file.sync() : file.write(ByteChunk([]))).asObservable())
            }
            var accepted = 0
            while accepted < 20_000, file.append("") { accepted += 1 }
            #expect(accepted < 8_192)
            mayGoOn.fire()
            #expect(await synchronized.ends() && synchronized.error == nil)
            for request in requests { #expect(await request.ends()) }
            let rejected = requests.filter { $0.error != nil }
            #expect(rejected.count > 1_000 && rejected.count < 3_000)
            #expect(rejected.allSatisfy { $0.error?.code == ENOBUFS })
            #expect(await outcome(file.close()) == nil)
            #expect(folder.bytes(of: "a").count == 1 << 20)
        }
    }

    /// The fault: the loop skipped a close that was disposed of before it came to it, and until it came, writes were accepted.
    @Test(
        "A close that is disposed of at once closes, and rejects what is written from then on", arguments: Backend.built
    )
    func closeDisposedAtOnce(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, scheduler)
            #expect(file.append("before"))
            scheduler.run(
                after: {
                    file.close().subscribe().dispose()
                    #expect(!file.append("behind"))
                }, {})
            #expect(await outcome(file.close()) == nil)
            #expect(folder.bytes(of: "a") == Array("before".utf8))
        }
    }

    @Test("The mode decides where bytes go and what can be read", arguments: Backend.built)
    func modes(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put("old".utf8, into: "a")
            let update = await open(path, .update, scheduler)
            #expect(await outcome(update.write(ByteChunk(" new"))) == nil)
            #expect(await outcome(update.write(ByteChunk("O"), at: 0)) == nil)
            #expect(await outcome(update.write(ByteChunk("far"), at: 9)) == nil)
            #expect(await outcome(update.write(ByteChunk("!"))) == nil)
            #expect(folder.bytes(of: "a") == Array("Old new\0\0far!".utf8))
            #expect(await read(update, at: 4, 3) == "new")
            #expect(await read(update, at: 9, 100) == "far!")
            #expect(await read(update, at: 100, 100) == "")

            let append = await open(path, .append, scheduler)
            folder.append("?".utf8, to: "a")
            #expect(await outcome(append.write(ByteChunk("end"))) == nil)
            #expect(folder.bytes(of: "a").suffix(5) == Array("!?end".utf8)[...])
            #expect(
                await outcome(append.write(ByteChunk("x"), at: 0))
                    == IOError(code: EINVAL, operation: "write", subject: path))

            let readOnly = await open(path, .read, scheduler)
            #expect(await read(readOnly, at: 0, 3) == "Old")
            let rejected = IOError(code: EBADF, operation: "write", subject: path)
            #expect(await outcome(readOnly.write(ByteChunk("x"))) == rejected)

            let replace = await open(path, .replace, scheduler)
            #expect(await read(replace, at: 0, 3) == nil)
            #expect(folder.bytes(of: "a").isEmpty)
            let existing = Received(File.open(path, mode: .createNew, scheduler: scheduler).asObservable())
            #expect(await existing.ends())
            #expect(existing.error == IOError(code: EEXIST, operation: "open", subject: path))
        }
    }

    @Test("Closing comes behind the writes, once, and ends the use of the file", arguments: Backend.built)
    func close(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = descriptorCount()
            let file = await open(folder["a"], .replace, scheduler)
            let bytes = [UInt8](repeating: 3, count: 3_000_000)
            let write = Received(file.write(ByteChunk(bytes)).asObservable())
            let isWritable = Received(file.isWritable)
            #expect(await outcome(file.close()) == nil)
            #expect(write.hasCompleted && descriptorCount() == before)
            #expect(await isWritable.ends() && isWritable.hasCompleted)
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
            #expect(await outcome(file.close()) == nil)
            let closed = IOError(code: EBADF, operation: "write", subject: folder["a"])
            #expect(await outcome(file.write(ByteChunk("x"))) == closed)
            #expect(await outcome(file.write(.just(ByteChunk("x")))) == closed)
            #expect(!file.append("x"))
            #expect(await read(file, at: 0, 1) == nil)
        }
    }

    @Test("The release of a file closes it behind what was accepted", arguments: Backend.built)
    func release(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = descriptorCount()
            let bytes = pattern(1_000)
            do {
                let file = await open(folder["a"], .replace, scheduler)
                for byte in bytes { #expect(file.append(ByteChunk([byte]))) }
            }
            #expect(await eventually { descriptorCount() == before })
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
        }
    }

    @Test("An error of close is reported to its caller", arguments: Backend.built)
    func closeError(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, scheduler)
            #expect(await outcome(file.write(ByteChunk("x"))) == nil)
            #expect(folder.closeDescriptor(of: "a"))
            let error = IOError(code: EBADF, operation: "close", subject: folder["a"])
            #expect(await outcome(file.close()) == error)
            #expect(await outcome(file.close()) == error)
        }
    }

    @Test("A failed write ends the writing, and close tells it", arguments: Backend.built)
    func failedWrite(_ backend: Backend) async {
        let rejected = EventLog()
        let before = IOHooks.sendRejectedHandler
        IOHooks.sendRejectedHandler = { error, bytes in rejected.note("\(error.code) \(bytes)") }
        defer { IOHooks.sendRejectedHandler = before }
        await leavingNothing(backend) { _, scheduler in
            let file = await open("/dev/full", .append, scheduler)
            let error = IOError(code: ENOSPC, operation: "write", subject: "/dev/full")
            let silent = Received(file.write(.never()).asObservable())
            #expect(file.append("four"))
            #expect(await eventually { rejected.lines == ["\(ENOSPC) 4"] })
            #expect(await silent.ends() && silent.error == error)
            #expect(await outcome(file.write(ByteChunk("x"))) == error)
            #expect(await outcome(file.sync()) == error)
            #expect(await outcome(file.close()) == error)
        }
    }

    @Test("A failed synchronization ends the writing", arguments: Backend.built)
    func failedSync(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .append, scheduler)
            #expect(folder.closeDescriptor(of: "a"))
            let error = IOError(code: EBADF, operation: "fsync", subject: folder["a"])
            #expect(await outcome(file.sync()) == error)
            #expect(await outcome(file.write(ByteChunk("x"))) == error)
        }
    }

    @Test("Writes beyond the limit are rejected, and those that were accepted arrive", arguments: Backend.built)
    func limit(_ backend: Backend) async {
        let rejected = AtomicCounter(0)
        let before = IOHooks.sendRejectedHandler
        IOHooks.sendRejectedHandler = { _, _ in rejected.increment() }
        defer { IOHooks.sendRejectedHandler = before }
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let reader = Glibc.open(folder["pipe"], O_RDWR | O_CLOEXEC)
            let file = await open(folder["pipe"], .append, writeLimit: 200_000, scheduler)
            let isWritable = Received(file.isWritable)
            #expect(await eventually { isWritable.elements == [true] })
            let bytes = (0..<1_000).reduce(into: []) {
                $0 += [UInt8](repeating: UInt8(truncatingIfNeeded: $1), count: 1_000)
            }
            var accepted = 0
            while accepted < bytes.count, file.append(ByteChunk(bytes[accepted..<accepted + 1_000])) {
                accepted += 1_000
            }
            #expect(accepted < 300_000 && rejected.value == 1)
            #expect(await eventually { isWritable.elements == [true, false] })
            // The pipe holds 65,536 bytes, which the loop may not have written yet.
            let error = await outcome(file.write(ByteChunk(bytes.prefix(100_000))))
            #expect(error?.code == ENOBUFS && error?.operation == "write")
            #expect(error?.subject.hasPrefix("\(folder["pipe"]) (") == true)
            let waiting = error?.subject.dropFirst(folder["pipe"].count + 2).prefix { $0.isNumber }
            #expect((accepted - 65_536...accepted).contains(waiting.flatMap { Int($0) } ?? 0))
            #expect(error?.subject.hasSuffix("the limit is 200000)") == true)
            var found: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 10_000)
            while found.count < accepted {
                let count = Glibc.read(reader, &part, part.count)
                if count <= 0 { break }
                found += part[..<count]
            }
            #expect(difference(found, Array(bytes[..<accepted])) == nil)
            #expect(await eventually { isWritable.elements == [true, false, true] })
            #expect(file.append("more"))
            isWritable.dispose()
            Glibc.close(reader)
        }
    }

    @Test("A sequence that can pause passes through in little memory", arguments: Backend.built)
    func sequence(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let bytes = (0..<100).reduce(into: []) { $0 += [UInt8](repeating: $1, count: 100_000) }
            let path = folder.put(bytes, into: "a")
            let file = await open(folder["b"], .createNew, writeLimit: 400_000, scheduler)
            let most = AtomicCounter(0)
            let source = File.read(path, chunkSize: 64 << 10, scheduler: scheduler).do(onNext: { _ in
                while most.value < file.queuedBytes / 1_000 { most.increment() }
            })
            #expect(await outcome(file.write(source)) == nil)
            #expect(difference(folder.bytes(of: "b"), bytes) == nil)
            #expect(most.value < 400, "\(most.value) kB")
            #expect((await outcome(file.write(.error(IOError(code: 5, operation: "x", subject: "y")))))?.code == 5)
        }
    }

    @Test("A shutdown writes what was accepted, and rejects what comes later", arguments: Backend.built)
    func shutdown(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, writeLimit: 64 << 20, scheduler)
            let bytes = (0..<200).reduce(into: []) { $0 += [UInt8](repeating: $1, count: 100_000) }
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                #expect(file.append(ByteChunk(bytes[start..<start + 100_000])))
            }
            let closed = Received(file.close().asObservable())
            scheduler.shutdown(draining: .seconds(60))
            #expect(await closed.ends() && closed.hasCompleted)
            #expect(difference(folder.bytes(of: "a"), bytes) == nil)
            #expect(!file.append("late"))
            #expect((await outcome(file.write(ByteChunk("late"))))?.code == ECANCELED)
            #expect((await outcome(file.close()))?.code == ECANCELED)
        }
    }

    @Test("A shutdown that does not wait leaves the bytes up to some place", arguments: Backend.built)
    func shutdownAtOnce(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, writeLimit: 64 << 20, scheduler)
            let bytes = (0..<200).reduce(into: []) { $0 += [UInt8](repeating: $1, count: 100_000) }
            let writes = stride(from: 0, to: bytes.count, by: 1_000_000).map {
                Received(file.write(ByteChunk(bytes[$0..<$0 + 1_000_000])).asObservable())
            }
            scheduler.shutdown(draining: .nanoseconds(0))
            let written = folder.bytes(of: "a")
            #expect(difference(written, Array(bytes[..<written.count])) == nil)
            for (number, write) in writes.enumerated() {
                #expect(await write.ends())
                if write.hasCompleted { #expect((number + 1) * 1_000_000 <= written.count) }
            }
        }
    }

    @Test(
        "Threads write whole pieces beside each other, and beside a shutdown", arguments: Backend.built, [false, true])
    func manyThreads(_ backend: Backend, _ isShutDown: Bool) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .append, writeLimit: 256 << 20, scheduler)
            let count = stepCount(50_000, debug: 10_000)
            let accepted = AtomicCounter(0)
            let bodies: [@Sendable () -> Void] =
                (0..<3).map { thread in
                    {
                        for number in 0..<count where file.append("\(thread) \(number)\n") { accepted.increment() }
                    }
                } + (isShutDown ? [{ scheduler.shutdown(draining: .seconds(60)) }] : [])
            race(bodies)
            if !isShutDown { #expect(await outcome(file.close()) == nil) }
            var next = [0, 0, 0]
            for line in String(decoding: folder.bytes(of: "a"), as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: " ").map { Int($0)! }
                #expect(parts[1] == next[parts[0]])
                next[parts[0]] = parts[1] + 1
            }
            #expect(next.reduce(0, +) == accepted.value)
            if !isShutDown { #expect(next == [count, count, count]) }
        }
    }

    @Test("A pipe has no places for reads and writes", arguments: Backend.built)
    func noPlaces(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            let file = await open(folder["pipe"], .update, scheduler)
            let error = IOError(code: ESPIPE, operation: "write", subject: folder["pipe"])
            #expect(await outcome(file.write(ByteChunk("x"), at: 0)) == error)
            #expect(await read(file, at: 0, 1) == nil)
            #expect(await outcome(file.write(ByteChunk("x"))) == nil)
        }
    }

    @Test("An offset at which no file can have a byte is an error", arguments: Backend.built, [0, 1, 2, 3])
    func greatestOffsets(_ backend: Backend, _ less: Int64) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .append, scheduler)
            let error = await outcome(file.write(ByteChunk("abc"), at: .max - less))
            #expect(error?.code == EFBIG || error?.code == EINVAL, "\(String(describing: error))")
            let reader = await open(folder["b"], .update, scheduler)
            #expect(await read(reader, at: .max - less, 10) == "")
        }
    }

    @Test("Disposing races with writes, and with the shutdown", arguments: Backend.built)
    func disposeRace(_ backend: Backend) async {
        for round in 0..<stepCount(60, debug: 20) {
            await leavingNothing(backend) { folder, scheduler in
                let isOver = AtomicWord(0)
                race(
                    {
                        let files = Guarded<[OpenFile]>([])
                        while isOver.loadAcquiring() == 0 {
                            let opening = File.open(folder["a"], mode: .append, scheduler: scheduler)
                                .subscribe(onSuccess: { file in files.change { $0.append(file) } })
                            jitter(round)
                            let file = files.value.last
                            let write = file?.write(ByteChunk("abc")).subscribe()
                            let close = file?.close().subscribe()
                            jitter(round * 3)
                            opening.dispose()
                            write?.dispose()
                            close?.dispose()
                        }
                    },
                    {
                        usleep(UInt32(round * 97 % 3_000))
                        scheduler.shutdown()
                        isOver.storeReleasing(1)
                    })
            }
        }
    }
}
