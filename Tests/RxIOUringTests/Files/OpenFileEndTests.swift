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
