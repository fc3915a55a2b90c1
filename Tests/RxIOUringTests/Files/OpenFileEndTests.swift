// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Writes to a file beside its close, or the end of its loop.
@Suite(.serialized) struct OpenFileEndTests {
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

    /// The fault: beside the end of the loop a write was refused, and an append behind it accepted.
    @Test("What follows a write that the ending loop refuses is refused, too", arguments: Backend.built)
    func endInBetween(_ backend: Backend) async {
        for round in 0..<stepCount(30, debug: 5) {
            await leavingNothing(backend) { folder, scheduler in
                let file = await open(folder["a"], .replace, writeLimit: 1 << 30, scheduler)
                race(
                    {
                        for number in UInt32(0)..<1_000_000 {
                            let bytes = ByteChunk(withUnsafeBytes(of: number.bigEndian, Array.init))
                            if number.isMultiple(of: 2) {
                                if !file.append(bytes) { break }
                            } else {
                                _ = file.write(bytes).subscribe(onError: { _ in })
                            }
                        }
                    },
                    {
                        usleep(UInt32(500 + round * 100))
                        scheduler.shutdown()
                    })
                let bytes = folder.bytes(of: "a")
                let isWhole = stride(from: 0, to: bytes.count - 3, by: 4).allSatisfy { place in
                    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } == place / 4
                }
                #expect(isWhole)
            }
        }
    }

    /// The fault: the end of the loop came before the outcome for the writes that had begun, and behind it for the others.
    @Test("At the end of a loop the writes that completed are those which the file has", arguments: Backend.built)
    func outcomes(_ backend: Backend) async {
        for round in 0..<20 {
            await leavingNothing(backend) { folder, scheduler in
                let file = await open(folder["a"], .replace, writeLimit: 1 << 30, scheduler)
                let (size, count) = (30_000, 300)
                let outcomes = Guarded([Bool?](repeating: nil, count: count))
                race(
                    {
                        for number in 0..<count {
                            let bytes = ByteChunk([UInt8](repeating: UInt8(number % 251), count: size))
                            _ = file.write(bytes).subscribe(
                                onCompleted: { outcomes.change { $0[number] = true } },
                                onError: { _ in outcomes.change { $0[number] = false } })
                        }
                    },
                    {
                        usleep(UInt32(200 + round * 100))
                        scheduler.shutdown(draining: .milliseconds(0))
                    })
                #expect(waitUntil { outcomes.value.allSatisfy { $0 != nil } })
                let completed = outcomes.value.prefix { $0 == true }.count
                #expect(!outcomes.value[completed...].contains(true))
                let bytes = folder.bytes(of: "a")
                #expect(bytes.count / size == completed)
            }
        }
    }

    /// The fault: a file that is opened from the kernel's memory was told before the loop had come to the requests.
    @Test("Outcomes come in the order of the requests, and the close last", arguments: Backend.built, [false, true])
    func outcomesInOrder(_ backend: Backend, onLoop: Bool) async {
        await leavingNothing(backend) { folder, scheduler in
            for _ in 0..<20 {
                let told = Guarded<[String]>([])
                let request = { (file: OpenFile) in
                    _ = file.write(ByteChunk("a")).subscribe(onCompleted: { told.change { $0.append("write") } })
                    _ = file.sync().subscribe(onCompleted: { told.change { $0.append("sync") } })
                    _ = file.write(ByteChunk("b")).subscribe(onCompleted: { told.change { $0.append("write") } })
                    _ = file.close().subscribe(onCompleted: { told.change { $0.append("close") } })
                }
                if onLoop {
                    _ = File.open(folder["a"], mode: .replace, scheduler: scheduler).subscribe(onSuccess: request)
                } else {
                    request(await open(folder["a"], .replace, scheduler))
                }
                #expect(waitUntil { told.value.count == 4 })
                #expect(told.value == ["write", "sync", "write", "close"])
            }
        }
    }

    @Test("A write whose sequence goes on fails when the file is closed", arguments: Backend.built)
    func closeInTheMidst(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let file = await open(folder["a"], .replace, scheduler)
            let write = Received(file.write(.just(ByteChunk("0")).concat(Observable.never())).asObservable())
            let whole = Received(file.write(.just(ByteChunk("1"))).asObservable())
            #expect(await whole.ends() && whole.error == nil)
            #expect(await outcome(file.close()) == nil)
            #expect(await write.ends() && write.error?.code == EBADF)
            #expect(folder.bytes(of: "a") == Array("01".utf8))
        }
    }
}
