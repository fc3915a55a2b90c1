// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Subscribers that cut the chunks of files and pipes into pieces, and take long for each.
@Suite struct SlowPiecesTests {
    enum Origin: CaseIterable, Sendable {
        case read, follow, descriptor

        func chunks(of path: String, _ scheduler: IOUringScheduler) -> Observable<ByteChunk> {
            switch self {
            case .read: File.read(path, scheduler: scheduler)
            case .follow: File.follow(path, from: .beginning, scheduler: scheduler)
            case .descriptor:
                DescriptorStream.read(open(path, O_RDONLY | O_CLOEXEC), closesWhenDone: true, scheduler: scheduler)
            }
        }
    }

    enum Cut: CaseIterable, Sendable {
        case lines, delimiter, lengths

        func pieces(of chunks: Observable<ByteChunk>) -> Observable<Int> {
            switch self {
            case .lines: chunks.lines().map(\.utf8.count)
            case .delimiter: chunks.frames(delimiter: [0x0A]).map(\.count)
            case .lengths: chunks.frames(LengthPrefix(size: 1)).map(\.count)
            }
        }

        /// The bytes of a piece of the length `count`, which is less than ten.
        func piece(_ count: Int) -> [UInt8] {
            let content = [UInt8](repeating: 0x61, count: count)
            return self == .lengths ? [UInt8(count)] + content : content + [0x0A]
        }
    }

    /// The fault: a file of 64 KiB is as many empty lines, and the loop did nothing else until the last of them.
    @Test(
        "A file whose pieces take long shares the loop with others",
        arguments: Backend.built.flatMap { backend in
            Origin.allCases.map { (backend, $0) }
        }, Cut.allCases)
    func sharing(_ world: (Backend, Origin), _ cut: Cut) async {
        let (backend, origin) = world
        await leavingNothing(backend) { folder, scheduler in
            let wanted = (0..<300).map { $0 % 7 }
            folder.put(wanted.flatMap(cut.piece), into: "a")
            let (pieces, most, before) = (Guarded<[Int]>([]), Guarded(0), Guarded(0))
            // Seen at each turn that user work gets.
            let watch = scheduler.schedulePeriodic((), startAfter: .milliseconds(0), period: .microseconds(100)) {
                let now = pieces.value.count
                most.change { $0 = max($0, now - before.value) }
                before.value = now
            }
            let reading = cut.pieces(of: origin.chunks(of: folder["a"], scheduler)).subscribe(onNext: { piece in
                spin(nanoseconds: 100_000)
                pieces.change { $0.append(piece) }
            })
            #expect(waitUntil { pieces.value.count == wanted.count })
            #expect(pieces.value == wanted)
            #expect(most.value <= 40)
            reading.dispose()
            watch.dispose()
        }
    }

    @Test("A file cut into slow pieces ends behind the last one", arguments: Backend.built, Cut.allCases)
    func end(_ backend: Backend, _ cut: Cut) async {
        await leavingNothing(backend) { folder, scheduler in
            let wanted = (0..<200).map { $0 % 7 }
            folder.put(wanted.flatMap(cut.piece), into: "a")
            for origin in [Origin.read, .descriptor] {
                let slow = cut.pieces(of: origin.chunks(of: folder["a"], scheduler))
                    .do(onNext: { _ in spin(nanoseconds: 100_000) })
                let received = Received(slow)
                #expect(await received.ends())
                #expect(received.hasCompleted && received.elements == wanted)
            }
        }
    }

    /// The fault: the file emitted a chunk to its last line, and the write below it, which could not pause it, failed.
    @Test("Much that is made of each line waits in the file", arguments: Backend.withoutFaults, Origin.allCases)
    func largeAnswers(_ backend: Backend, _ origin: Origin) throws {
        let folder = TemporaryFolder()
        folder.put([UInt8](repeating: 0x0A, count: 5_000), into: "a")
        try leavingNothingBehind {
            let ended = Guarded<String?>(nil)
            let answer = ByteChunk(pattern(20_000))
            let server = try Server(backend) { connection in
                let answers = origin.chunks(of: folder["a"], connection.scheduler).lines().map { _ in answer }
                _ = connection.write(answers.take(5_000)).subscribe(
                    onCompleted: {
                        ended.value = "all"
                        connection.close()
                    }, onError: { ended.value = "\($0)" })
            }
            let peer = PlainSocket(connectedTo: server.address)
            usleep(100_000)
            #expect(peer.receive(5_000 * 20_000).count == 5_000 * 20_000)
            #expect(waitUntil { ended.value != nil })
            #expect(ended.value == "all")
            peer.close()
            server.end()
        }
    }
}
