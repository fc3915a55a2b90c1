// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct FilePathTests {
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

    /// `é` as Latin-1 has it, which is not valid UTF-8, beside a backslash and a line feed.
    private static let name: [UInt8] = Array("caf".utf8) + [0xE9] + Array("\\\n.log".utf8)

    private func path(in folder: TemporaryFolder) -> File.Path {
        File.Path(bytes: Array(folder[""].utf8) + FilePathTests.name)
    }

    /// Runs a test with a path in its folder, and removes the file, whose name the folder does not know.
    private func leavingNoFile(
        _ backend: Backend, _ body: (TemporaryFolder, File.Path, IOUringScheduler) async -> Void
    ) async {
        await leavingNothing(backend) { folder, scheduler in
            let path = path(in: folder)
            await body(folder, path, scheduler)
            unlink(FilePathTests.cString(path.bytes))
        }
    }

    private static func cString(_ bytes: [UInt8]) -> [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

    /// The names in a folder, in bytes.
    private func names(in folder: TemporaryFolder) -> [[UInt8]] {
        guard let directory = opendir(folder.path) else { return [] }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if !name.starts(with: ".".utf8) { names.append(name) }
        }
        return names
    }

    private func write(_ text: String, to path: File.Path, mode: File.WriteMode, _ scheduler: IOUringScheduler) async {
        let received = Received(
            File.write(.just(ByteChunk(text)), to: path, mode: mode, scheduler: scheduler).asObservable())
        #expect(await received.ends() && received.elements == [text.utf8.count])
    }

    @Test("A path has the bytes that it was made of")
    func bytes() {
        let path = File.Path(bytes: FilePathTests.name)
        #expect(path.bytes == FilePathTests.name)
        #expect(File.Path("/a/é") == File.Path(bytes: "/a/é".utf8))
        #expect(path != File.Path("caf\u{FFFD}\\\n.log"))
    }

    @Test(
        "A path describes itself as text, or with escapes where it is none",
        arguments: [
            (Array("/a/é".utf8), "/a/é"), (Array("a\\b".utf8), "a\\b"), ([], ""),
            (FilePathTests.name, "caf\\xE9\\\\\\x0A.log"),
        ])
    func description(_ bytes: [UInt8], _ text: String) { #expect(File.Path(bytes: bytes).description == text) }

    @Test("A file whose name is not UTF-8 is written, read and replaced", arguments: Backend.built)
    func writeAndRead(_ backend: Backend) async {
        await leavingNoFile(backend) { folder, path, scheduler in
            await write("one\n", to: path, mode: .createNew, scheduler)
            await write("two\n", to: path, mode: .append, scheduler)
            let lines = Received(File.lines(path, scheduler: scheduler))
            #expect(await lines.ends() && lines.elements == ["one", "two"])
            await write("three\n", to: path, mode: .replaceAtomically, scheduler)
            let chunks = Received(File.read(path, scheduler: scheduler))
            #expect(await chunks.ends() && chunks.elements.flatMap(Array.init) == Array("three\n".utf8))
            #expect(names(in: folder) == [FilePathTests.name])
        }
    }

    @Test("A symbolic link to a name that is not UTF-8 stays, and its file is replaced", arguments: Backend.built)
    func link(_ backend: Backend) async {
        await leavingNoFile(backend) { folder, path, scheduler in
            await write("old", to: path, mode: .createNew, scheduler)
            symlink(FilePathTests.cString(FilePathTests.name), folder["link"])
            await write("new", to: File.Path(folder["link"]), mode: .replaceAtomically, scheduler)
            #expect(folder.bytes(of: "link") == Array("new".utf8))
            #expect(Set(names(in: folder)) == [FilePathTests.name, Array("link".utf8)])
        }
    }

    @Test("A file whose name is not UTF-8 is followed from before it exists", arguments: Backend.built)
    func follow(_ backend: Backend) async {
        await leavingNoFile(backend) { folder, path, scheduler in
            // From the beginning: the file may be there before the first look.
            let received = Received.bytes(File.follow(path, from: .beginning, scheduler: scheduler))
            try? await Task.sleep(nanoseconds: 20_000_000)
            await write("late", to: path, mode: .createNew, scheduler)
            #expect(await received.becomes("late"))
            received.dispose()
        }
    }

    @Test("A missing file is named with escapes", arguments: Backend.built)
    func missing(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let opened = Received(File.open(path(in: folder), mode: .read, scheduler: scheduler).asObservable())
            #expect(await opened.ends())
            let subject = folder["caf\\xE9\\\\\\x0A.log"]
            #expect(opened.error == IOError(code: ENOENT, operation: "open", subject: subject))
        }
    }

    @Test("A Unix socket has a name that is not UTF-8, and takes it away", arguments: Backend.built)
    func unixSocket(_ backend: Backend) async throws {
        try await leavingNothing(backend) { folder, scheduler in
            let address = try SocketAddress(unixPath: path(in: folder))
            #expect(address.filePath == path(in: folder))
            let listener = try Unix.listener(at: address, scheduler: scheduler)
            #expect(names(in: folder) == [FilePathTests.name])
            let connection = Received(TCP.connect(to: address, scheduler: scheduler).asObservable())
            #expect(await connection.ends() && connection.elements.count == 1)
            listener.close()
            #expect(await eventually { names(in: folder).isEmpty })
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
            #expect(difference(folder.bytes(of: "file"), pattern(10)) == nil)
        }
    }
}
