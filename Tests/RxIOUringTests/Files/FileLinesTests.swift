// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct FileLinesTests {
    @Test("The lines of a file come in order", arguments: Backend.built)
    func inOrder(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let lines = (0..<50_000).map { "line \($0) €" }
            folder.put(Array(lines.joined(separator: "\n").utf8), into: "a")
            let received = Received(File.lines(folder["a"], scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.hasCompleted && received.elements == lines)
        }
    }

    @Test("An empty file has no lines", arguments: Backend.built)
    func emptyFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put([], into: "empty")
            let none = Received(File.lines(folder["empty"], scheduler: scheduler))
            #expect(await none.ends())
            #expect(none.hasCompleted && none.elements.isEmpty)
        }
    }

    @Test("A line of the maximum length comes in one piece", arguments: Backend.built)
    func hugeLine(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let huge = [UInt8](repeating: 97, count: 5_000_000)
            folder.put(huge + [10, 98], into: "huge")
            let lines = Received(File.lines(folder["huge"], maximumLength: 5_000_000, scheduler: scheduler))
            #expect(await lines.ends())
            #expect(lines.elements.map(\.utf8.count) == [5_000_000, 1])
        }
    }

    @Test("A line that is too long is an error that names the file", arguments: Backend.built)
    func tooLong(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put(Array("short\n".utf8) + [UInt8](repeating: 97, count: 2_000_000), into: "a")
            let received = Received(File.lines(folder["a"], scheduler: scheduler))
            #expect(await received.ends())
            #expect(received.elements == ["short"])
            #expect(received.error?.code == EMSGSIZE)
            #expect(received.error?.subject.contains(folder["a"]) == true)
        }
    }
}
