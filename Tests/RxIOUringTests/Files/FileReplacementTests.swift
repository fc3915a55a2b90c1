// SPDX-License-Identifier: Apache-2.0

import Glibc
@preconcurrency import RxIOUring
@preconcurrency import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct FileReplacementTests {
    private func replace(
        _ path: String, with source: Observable<ByteChunk>, permissions: UInt32 = 0o666, _ scheduler: IOUringScheduler
    ) -> Received<Int> {
        Received(
            File.write(
                source, to: path, mode: .replaceAtomically, permissions: permissions, scheduler: scheduler
            ).asObservable())
    }

    private func permissions(_ path: String) -> UInt32 {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o7777
    }

    @Test("The name stands for the old content until the new one is complete", arguments: Backend.built)
    func complete(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            chmod(folder.put("old".utf8, into: "a"), 0o640)
            let source = PublishSubject<ByteChunk>()
            let received = replace(folder["a"], with: source, scheduler)
            #expect(await eventually { source.hasObservers })
            source.onNext(ByteChunk(pattern(100_000)))
            #expect(await eventually { folder.names.count == 2 })
            #expect(folder.bytes(of: "a") == Array("old".utf8))
            source.onCompleted()
            #expect(await received.ends() && received.elements == [100_000])
            #expect(difference(folder.bytes(of: "a"), pattern(100_000)) == nil)
            #expect(folder.names == ["a"] && permissions(folder["a"]) == 0o640)
        }
    }

    @Test("A file that does not exist gets the given permissions", arguments: Backend.built)
    func newFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let name = String(repeating: "n", count: 255)
            let received = replace(folder[name], with: .just(ByteChunk("new")), permissions: 0o600, scheduler)
            #expect(await received.ends() && received.elements == [3])
            #expect(folder.names == [name] && permissions(folder[name]) == 0o600)
        }
    }

    @Test("A relative path names a file of the working directory", arguments: Backend.built)
    func relativePath(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = getcwd(nil, 0)
            defer { free(before) }
            #expect(chdir(folder.path) == 0)
            let received = replace("a", with: .just(ByteChunk("new")), scheduler)
            #expect(await received.ends() && received.elements == [3])
            #expect(chdir(before!) == 0)
            #expect(folder.names == ["a"])
        }
    }

    @Test("The file stays in its directory when another one gets the directory's name", arguments: Backend.built)
    func movedDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["d"], 0o700)
            folder.put("old".utf8, into: "d/a")
            let source = PublishSubject<ByteChunk>()
            let received = replace(folder["d/a"], with: source, scheduler)
            #expect(await eventually { source.hasObservers })
            folder.rename("d", to: "moved")
            mkdir(folder["d"], 0o700)
            folder.put("another".utf8, into: "d/a")
            source.onNext(ByteChunk("new"))
            source.onCompleted()
            #expect(await received.ends() && received.elements == [3])
            #expect(folder.bytes(of: "moved/a") == Array("new".utf8))
            #expect(folder.bytes(of: "d/a") == Array("another".utf8))
            #expect(folder.names(in: "moved") == ["a"] && folder.names(in: "d") == ["a"])
        }
    }

    @Test("The longest path names a file", arguments: Backend.built)
    func longestPath(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            // The longest path that the system takes has 4,095 bytes.
            var name = ""
            while folder[name].utf8.count < 3_900 {
                name += String(repeating: "d", count: 100)
                #expect(mkdir(folder[name], 0o700) == 0)
                name += "/"
            }
            name += String(repeating: "n", count: 4_095 - folder[name].utf8.count)
            let received = replace(folder[name], with: .just(ByteChunk("new")), scheduler)
            #expect(await received.ends() && received.elements == [3])
            #expect(folder.bytes(of: name) == Array("new".utf8))
        }
    }

    enum Failing: CaseIterable { case error, dispose, shutdown }

    @Test(
        "The old content stays, and no other file, without a complete one", arguments: Backend.built, Failing.allCases)
    func failing(_ backend: Backend, _ failing: Failing) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put("old".utf8, into: "a")
            let source = PublishSubject<ByteChunk>()
            let received = replace(folder["a"], with: source, scheduler)
            #expect(await eventually { source.hasObservers })
            source.onNext(ByteChunk("new"))
            switch failing {
            case .error:
                source.onError(Failure.expected)
                #expect(await received.ends() && received.anyError as? Failure == .expected)
            case .dispose: received.dispose()
            case .shutdown:
                scheduler.shutdown()
                #expect(received.error?.code == ECANCELED)
            }
            #expect(await eventually { folder.names == ["a"] })
            #expect(folder.bytes(of: "a") == Array("old".utf8))
        }
    }

    @Test("Readers never see a part of a file", arguments: Backend.built)
    func readers(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let size = 200_000
            folder.put([UInt8](repeating: 0, count: size), into: "a")
            for round in 1...stepCount(100, debug: 20) {
                let byte = UInt8(truncatingIfNeeded: round)
                let source = Observable.range(start: 0, count: 10)
                    .map { _ in ByteChunk([UInt8](repeating: byte, count: size / 10)) }
                let received = replace(folder["a"], with: source, scheduler)
                while !received.hasEnded {
                    let found = folder.bytes(of: "a")
                    #expect(found.count == size && (found[0] == byte || found[0] == byte &- 1))
                    #expect(found.allSatisfy { $0 == found[0] })
                    await Task.yield()
                }
                #expect(received.elements == [size])
            }
        }
    }

    @Test("A symbolic link stays, and the file that it leads to is replaced", arguments: Backend.built)
    func symbolicLink(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["d"], 0o700)
            symlink("d/second", folder["first"])
            symlink("target", folder["d/second"])
            for text in ["created", "replaced"] {
                let received = replace(folder["first"], with: .just(ByteChunk(text)), scheduler)
                #expect(await received.ends() && received.hasCompleted)
                #expect(folder.bytes(of: "d/target") == Array(text.utf8))
            }
            var link = stat()
            #expect(lstat(folder["first"], &link) == 0 && link.st_mode & S_IFMT == S_IFLNK)
            symlink("loop", folder["loop"])
            let endless = replace(folder["loop"], with: .empty(), scheduler)
            #expect(await endless.ends() && endless.error?.code == ELOOP)
        }
    }

    @Test("What is no regular file cannot be replaced", arguments: Backend.built)
    func irregular(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkfifo(folder["pipe"], 0o600)
            mkdir(folder["d"], 0o700)
            for (name, code) in [
                ("pipe", EINVAL), ("d", EISDIR), ("d/", EISDIR), ("no/file", ENOENT), ("pipe/file", ENOTDIR),
            ] {
                let received = replace(folder[name], with: .empty(), scheduler)
                #expect(await received.ends())
                #expect(received.error == IOError(code: code, operation: "open", subject: folder[name]))
            }
            #expect(folder.names == ["d", "pipe"])
        }
    }

    /// In /proc nobody can create a file.
    @Test("An error of the new file names its directory", arguments: Backend.built)
    func unwritableDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { _, scheduler in
            let received = replace("/proc/self/comm", with: .empty(), scheduler)
            #expect(await received.ends())
            #expect(received.error?.operation == "open")
            #expect(received.error?.subject == "/proc/self/comm (a new file in /proc/self)")
        }
    }

    @Test("A file that this process must not write to is not replaced", arguments: Backend.built)
    func readOnly(_ backend: Backend) async {
        if geteuid() == 0 { return }
        await leavingNothing(backend) { folder, scheduler in
            chmod(folder.put("old".utf8, into: "a"), 0o444)
            let received = replace(folder["a"], with: .empty(), scheduler)
            #expect(await received.ends())
            #expect(received.error == IOError(code: EACCES, operation: "open", subject: folder["a"]))
        }
    }
}
