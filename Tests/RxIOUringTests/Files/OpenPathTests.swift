// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct OpenPathTests {
    enum Access: CaseIterable, Sendable {
        case read, follow, write

        func stream(_ path: String, _ scheduler: IOUringScheduler) -> Observable<ByteChunk> {
            switch self {
            case .read: File.read(path, scheduler: scheduler)
            case .follow: File.follow(path, scheduler: scheduler)
            case .write:
                File.write(.just(ByteChunk("x")), to: path, scheduler: scheduler).asObservable().map { _ in
                    ByteChunk("")
                }
            }
        }
    }

    /// C would cut the path off at the NUL character, and open another file.
    @Test("A path with a NUL character names no file", arguments: Backend.built, Access.allCases)
    func nulCharacter(_ backend: Backend, _ access: Access) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.put(pattern(10), into: "file") + "\0.txt"
            let received = Received(access.stream(path, scheduler))
            #expect(await received.ends())
            #expect(received.error == IOError(code: EINVAL, operation: "open", subject: path))
            #expect(folder.bytes(of: "file") == pattern(10))
        }
    }
}
