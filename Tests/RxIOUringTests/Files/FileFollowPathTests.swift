// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Links, directories, and paths that lead to nothing that can be followed.
@Suite struct FileFollowPathTests {
    @Test("The replacement of a symbolic link is noticed", arguments: Backend.built)
    func symbolicLink(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.append("one ".utf8, to: "first")
            folder.append("two ".utf8, to: "second")
            symlink("first", folder["log"])
            let received = follow(folder, .beginning, scheduler)
            #expect(await received.becomes("one "))
            symlink("second", folder["link"])
            folder.rename("link", to: "log")
            #expect(await received.becomes("one two "))
            folder.append("three".utf8, to: "second")
            #expect(await received.becomes("one two three"))
            received.dispose()
        }
    }

    /// The fault: a rotation behind the link, as of the logs of containers, was never seen.
    @Test("The replacement of the file that a link leads to is noticed, and its appearance", arguments: Backend.built)
    func replacedTarget(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["other"], 0o700)
            let targets = ["target", "other/target"]
            let streams = targets.enumerated().map { index, target in
                symlink(folder[target], folder["log\(index)"])
                return follow(folder, .beginning, scheduler, name: "log\(index)")
            }
            settle(scheduler)
            for target in targets { folder.append("one ".utf8, to: target) }
            for stream in streams { #expect(await stream.becomes("one ")) }
            for target in targets {
                folder.rename(target, to: "\(target).old")
                folder.append("late ".utf8, to: "\(target).old")
                folder.append("two ".utf8, to: target)
            }
            for stream in streams { #expect(await stream.becomes("one late two ")) }
            for target in targets {
                unlink(folder[target])
                folder.append("three".utf8, to: target)
            }
            for stream in streams {
                #expect(await stream.becomes("one late two three"))
                stream.dispose()
            }
        }
    }

    /// The fault: while the deleted file is open, the kernel does not tell that its directory has ended.
    @Test("The end of the directory is an error also if the file was followed in it", arguments: Backend.built)
    func removedWithFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["logs"], 0o700)
            folder.append("one".utf8, to: "logs/log")
            let received = follow(folder, .beginning, scheduler, name: "logs/log")
            #expect(await received.becomes("one"))
            unlink(folder["logs/log"])
            // The loop finds the directory there when it hears of the file.
            settle(scheduler)
            rmdir(folder["logs"])
            #expect(await received.ends())
            #expect(received.error?.code == ENOENT && received.error?.operation == "inotify_add_watch")
        }
    }

    /// The fault: the name "." leads to a working directory that is removed, too.
    @Test("The removal of the working directory is an error", arguments: Backend.built)
    func removedWorkingDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = getcwd(nil, 0)
            defer { free(before) }
            mkdir(folder["logs"], 0o700)
            folder.append("one".utf8, to: "logs/log")
            #expect(chdir(folder["logs"]) == 0)
            let received = Received.bytes(File.follow("log", from: .beginning, scheduler: scheduler))
            #expect(await received.becomes("one"))
            unlink(folder["logs/log"])
            rmdir(folder["logs"])
            #expect(await received.ends())
            #expect(received.error == IOError(code: ENOENT, operation: "inotify_add_watch", subject: "log"))
            #expect(chdir(before!) == 0)
        }
    }

    @Test("A directory that is made again right away is followed on", arguments: Backend.built)
    func directoryMadeAgain(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["logs"], 0o700)
            folder.append("one ".utf8, to: "logs/log")
            let received = follow(folder, .beginning, scheduler, name: "logs/log")
            #expect(await received.becomes("one "))
            scheduler.performAndWait {
                unlink(folder["logs/log"])
                rmdir(folder["logs"])
                mkdir(folder["logs"], 0o700)
            }
            settle(scheduler)
            folder.append("two ".utf8, to: "logs/log")
            #expect(await received.becomes("one two "))
            folder.append("three".utf8, to: "logs/log")
            #expect(await received.becomes("one two three"))
            received.dispose()
        }
    }

    enum Detour: CaseIterable, Sendable { case link, renamedAncestor }

    /// The fault: the kernel tells nothing of that, and the stream stayed with the old file for ever.
    @Test("Another directory that the path leads to is noticed", arguments: Backend.built, Detour.allCases)
    func otherDirectory(_ backend: Backend, _ detour: Detour) async {
        await leavingNothing(backend) { folder, scheduler in
            for release in ["first", "second"] {
                mkdir(folder[release], 0o700)
                mkdir(folder["\(release)/logs"], 0o700)
            }
            folder.append("one ".utf8, to: "first/logs/log")
            if detour == .link { symlink("first", folder["current"]) } else { folder.rename("first", to: "current") }
            let received = follow(folder, .beginning, scheduler, name: "current/logs/log")
            #expect(await received.becomes("one "))
            if detour == .link {
                symlink("second", folder["link"])
                folder.rename("link", to: "current")
            } else {
                folder.rename("current", to: "old")
                folder.rename("second", to: "current")
            }
            // Another name in the new directory first: the stream has to learn of the directory itself.
            folder.append("x".utf8, to: "current/logs/other")
            try? await Task.sleep(nanoseconds: 1_500_000_000)
            folder.append("two ".utf8, to: "current/logs/log")
            #expect(await received.becomes("one two "))
            folder.append("three".utf8, to: "current/logs/log")
            #expect(await received.becomes("one two three"))
            received.dispose()
        }
    }

    /// The fault: the stream failed with EACCES in the moment before the log was made readable.
    @Test("A file that must not be read yet is waited for", .enabled(if: getuid() == 0))
    func permission() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            chmod(folder.path, 0o755)
            folder.append("one ".utf8, to: "log")
            chmod(folder["log"], 0o644)
            let notices = Guarded<[String]>([])
            IOHooks.noticeHandler = { notice in notices.change { $0.append(notice) } }
            let scheduler = IOUringScheduler()
            // The superuser may read all files: the loop's thread becomes another user.
            scheduler.performAndWait { rx_test_become_user(65_534) }
            let received = follow(folder, .beginning, scheduler)
            var isRead = await received.becomes("one ")
            precondition(isRead, "\(String(describing: received.error))")
            folder.rename("log", to: "log.1")
            folder.append("two".utf8, to: "new")
            chmod(folder["new"], 0)
            folder.rename("new", to: "log")
            settle(scheduler)
            precondition(notices.value.count == 1, "\(notices.value)")
            chmod(folder["log"], 0o644)
            isRead = await received.becomes("one two")
            precondition(isRead, "\(received.text) \(String(describing: received.error))")
            received.dispose()
        }
    }

    @Test("A path that leads to no directory any more is an error", arguments: Backend.built)
    func lostDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["first"], 0o700)
            mkdir(folder["first/logs"], 0o700)
            folder.append("one".utf8, to: "first/logs/log")
            let received = follow(folder, .beginning, scheduler, name: "first/logs/log")
            #expect(await received.becomes("one"))
            folder.rename("first", to: "second")
            #expect(await received.ends())
            #expect(received.error?.code == ENOENT && received.error?.operation == "inotify_add_watch")
        }
    }

    @Test("A path that cannot be followed is an error", arguments: Backend.built)
    func unfollowable(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let noFolder = Received(File.follow(folder["no/log"], scheduler: scheduler))
            #expect(await noFolder.ends())
            #expect(noFolder.error == IOError(code: ENOENT, operation: "inotify_add_watch", subject: folder["no"]))
            let directory = Received(File.follow(folder.path, scheduler: scheduler))
            #expect(await directory.ends())
            #expect(directory.error == IOError(code: EISDIR, operation: "open", subject: folder.path))
            mkfifo(folder["pipe"], 0o600)
            let pipe = Received(File.follow(folder["pipe"], scheduler: scheduler))
            #expect(await pipe.ends())
            #expect(pipe.error?.code == EINVAL)
        }
    }

    @Test("The removal of the directory is an error after the bytes written before", arguments: Backend.built)
    func removedDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["d"], 0o700)
            folder.append("a".utf8, to: "d/log")
            let received = Received.bytes(File.follow(folder["d/log"], from: .beginning, scheduler: scheduler))
            #expect(await received.becomes("a"))
            folder.append("b".utf8, to: "d/log")
            folder.rename("d", to: "e")
            #expect(await received.ends())
            #expect(received.text == "ab")
            #expect(received.error == IOError(code: ENOENT, operation: "inotify_add_watch", subject: folder["d/log"]))
        }
    }
}
