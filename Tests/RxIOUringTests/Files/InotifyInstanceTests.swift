// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
@preconcurrency import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite(.serialized) struct InotifyInstanceTests {
    private func follow(
        _ folder: TemporaryFolder, _ name: String, _ scheduler: IOUringScheduler
    ) -> Received<[UInt8]> {
        Received.bytes(File.follow(folder[name], from: .beginning, scheduler: scheduler))
    }

    @Test(
        "Streams of one loop share an instance, which is closed soon behind the last of them", arguments: Backend.built)
    func shared(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let before = descriptorCount()
            for round in 0..<3 {
                let names = ["a", "b", "c"]
                for name in names { folder.put("\(name)\(round)".utf8, into: name) }
                let received = names.map { follow(folder, $0, scheduler) }
                for (stream, name) in zip(received, names) { #expect(await stream.becomes("\(name)\(round)")) }
                #expect(await eventually { descriptorCount() == before + 4 })
                for stream in received { stream.dispose() }
                #expect(await eventually { descriptorCount() == before })
            }
        }
    }

    /// The faults: the kernel takes 10 milliseconds to close an instance, and counts it until then.
    @Test("A stream that follows one file after another needs one instance", arguments: Backend.built)
    func oneAfterAnother(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put("a".utf8, into: "log")
            let received = Received(
                Observable<Int>.range(start: 0, count: 2_000, scheduler: scheduler)
                    .flatMapLatest { _ in File.follow(folder["log"], from: .beginning, scheduler: scheduler) }
                    .map { String($0) })
            #expect(await eventually { received.elements.last == "a" })
            usleep(400_000)
            #expect(received.error == nil)
            received.dispose()
        }
    }

    @Test("Streams wait for the instances that streams of other loops have left", arguments: Backend.withoutFaults)
    func ofOtherLoops(_ backend: Backend) async {
        let folder = TemporaryFolder()
        folder.put("a".utf8, into: "log")
        let loops = (0..<100).map { _ in IOUringScheduler(backend: backend) }
        for _ in 0..<3 {
            let (begun, failed) = (AtomicCounter(0), AtomicCounter(0))
            let followers = loops.map { loop in
                File.follow(folder["log"], from: .beginning, scheduler: loop)
                    .subscribe(onNext: { _ in begun.increment() }, onError: { _ in failed.increment() })
            }
            #expect(await eventually { begun.value + failed.value == loops.count })
            #expect(failed.value == 0)
            for follower in followers { follower.dispose() }
        }
        for loop in loops { loop.shutdown() }
    }

    @Test("Two streams of one file both go on until each is disposed of", arguments: Backend.built)
    func oneFile(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            folder.put("a".utf8, into: "log")
            let first = follow(folder, "log", scheduler)
            let second = follow(folder, "log", scheduler)
            #expect(await first.becomes("a"))
            #expect(await second.becomes("a"))
            folder.append("b".utf8, to: "log")
            #expect(await first.becomes("ab"))
            #expect(await second.becomes("ab"))
            first.dispose()
            folder.append("c".utf8, to: "log")
            #expect(await second.becomes("abc"))
            folder.rename("log", to: "log.1")
            folder.append("d".utf8, to: "log")
            #expect(await second.becomes("abcd"))
            #expect(first.text == "ab")
            second.dispose()
        }
    }

    @Test("Streams in one directory all learn of its end", arguments: Backend.built)
    func removedDirectory(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            mkdir(folder["d"], 0o700)
            let received = ["d/a", "d/b", "d/missing"].map { name in
                if name != "d/missing" { folder.append("x".utf8, to: name) }
                return follow(folder, name, scheduler)
            }
            #expect(await received[0].becomes("x"))
            #expect(await received[1].becomes("x"))
            folder.rename("d", to: "e")
            for stream in received {
                #expect(await stream.ends())
                #expect(stream.error?.operation == "inotify_add_watch" && stream.error?.code == ENOENT)
            }
        }
    }

    /// The fault: while a watch is set again, as another stream of the directory begins, the kernel lost events.
    @Test("A directory that is watched once more meanwhile loses no event")
    func watchedAgain() {
        let (folder, instance) = (TemporaryFolder(), rx_watcher_make())
        defer { close(instance) }
        #expect(rx_watch_directory(instance, folder.path) > 0)
        let (count, isOver) = (5_000, AtomicCounter(0))
        race(
            {
                for number in 0..<count { folder.put([], into: "\(number)") }
                isOver.increment()
            },
            { while isOver.value == 0 { _ = rx_watch_directory(instance, folder.path) } })
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var (events, event) = (0, rx_watch_event())
        while rx_readable_bytes(instance) > 0 {
            let length = read(instance, &buffer, buffer.count)
            var offset = 0
            while case let size = rx_watch_parse(buffer, length, offset, &event), size > 0 {
                events += 1
                offset += size
            }
        }
        #expect(events == count)
    }

    /// The fault: an instance for each stream, of which the system gives a user 128.
    @Test("Two thousand files are followed in one loop", arguments: Backend.built)
    func manyFiles(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let names = (0..<2_000).map { "log\($0)" }
            // Every other file is there before its stream, and half of them share a directory with a thousand others.
            for directory in 0..<10 { mkdir(folder["\(directory)"], 0o700) }
            let paths = names.enumerated().map { $0 % 2 == 0 ? $1 : "\($0 / 2 % 10)/\($1)" }
            for (number, path) in paths.enumerated() where number % 4 < 2 { folder.put("x".utf8, into: path) }
            let received = paths.map { follow(folder, $0, scheduler) }
            for (number, path) in paths.enumerated() { folder.append("\(number)".utf8, to: path) }
            for (number, stream) in received.enumerated() {
                let text = (number % 4 < 2 ? "x" : "") + "\(number)"
                guard await stream.becomes(text) else {
                    Issue.record("\(number): '\(stream.text)', \(String(describing: stream.error))")
                    break
                }
            }
            for stream in received { stream.dispose() }
        }
    }

    @Test("Disposing races with events for all streams of a loop", arguments: Backend.built)
    func disposeRace(_ backend: Backend) async {
        await leavingNothing(backend) { folder, scheduler in
            let isOver = AtomicCounter(0)
            race(
                {
                    for round in 0..<stepCount(1_000, debug: 300) {
                        let streams = (0..<3).map { File.follow(folder["\($0 % 2)"], scheduler: scheduler).subscribe() }
                        if round % 2 == 0 { usleep(50) }
                        for stream in streams {
                            stream.dispose()
                            jitter(round)
                        }
                    }
                    isOver.increment()
                },
                {
                    var round = 0
                    while isOver.value == 0 {
                        folder.append("x".utf8, to: "\(round % 2)")
                        if round % 5 == 0 { folder.rename("\(round % 2)", to: "old") }
                        round += 1
                    }
                })
        }
    }
}
