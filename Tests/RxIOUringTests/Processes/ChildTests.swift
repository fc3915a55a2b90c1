// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// The process group of a child, and processes that outlive it.
@Suite(.serialized) struct ChildTests {
    private typealias Disposal = ChildProcess.Disposal

    private func shell(
        _ script: String, whenDisposed: ChildProcess.Disposal = .kill, byThread: Bool = false,
        _ scheduler: IOUringScheduler
    ) -> Observable<ChildProcess.Event> {
        ChildProcessTests.shell(script, whenDisposed: whenDisposed, byThread: byThread, scheduler)
    }

    /// True if there is no such process, or only a zombie that its new parent has not reaped yet.
    private func isDead(_ pid: CInt) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
        return line[(line.lastIndex(of: ")") ?? line.startIndex)...].hasPrefix(") Z")
    }

    /// The output so far.
    private func text(_ receiver: Receiver<ChildProcess.Event>) -> String {
        receiver.elements.map { if case .output(let chunk) = $0 { String(chunk) } else { "" } }.joined()
    }

    /// The process that the script has started and whose number it has printed.
    private func grandchild(_ receiver: Receiver<ChildProcess.Event>) -> CInt? {
        _ = soon { text(receiver).contains("\n") }
        return text(receiver).split(separator: "\n").first.flatMap { CInt($0) }
    }

    static let disposals = [ChildProcess.Disposal.kill, .terminate(grace: .seconds(20))]
    static let places = Backend.built.flatMap { [($0, false), ($0, true)] }

    @Test("A dispose ends the processes that the program has started, too", arguments: places, disposals)
    func dispose(_ place: (backend: Backend, byThread: Bool), _ disposal: ChildProcess.Disposal) throws {
        try onLoop(place.backend) { scheduler in
            let receiver = ChildProcessTests.received(
                shell("sleep 100 & echo $!; sleep 100", whenDisposed: disposal, byThread: place.byThread, scheduler))
            let process = try #require(grandchild(receiver))
            guard case .started(let pid)? = receiver.elements.first else { return }
            #expect(getpgid(pid) == pid && getpgid(process) == pid)
            receiver.dispose()
            #expect(soon { ChildProcessTests.isGone(pid) && isDead(process) })
        }
    }

    @Test("A shutdown ends the processes that the program has started, too", arguments: Backend.built, disposals)
    func shutdown(_ backend: Backend, _ disposal: ChildProcess.Disposal) throws {
        try onLoop(backend) { scheduler in
            let receiver = ChildProcessTests.received(
                shell("sleep 100 & echo $!; sleep 100", whenDisposed: disposal, scheduler))
            let process = try #require(grandchild(receiver))
            scheduler.shutdown()
            #expect(receiver.wait() && (receiver.error as? IOError)?.code == ECANCELED)
            #expect(soon { isDead(process) })
        }
    }

    @Test(
        "A process that does not end is killed after the time for it, also if the program has ended", arguments: places)
    func stubborn(_ place: (backend: Backend, byThread: Bool)) throws {
        try onLoop(place.backend) { scheduler in
            let script = "(trap '' TERM; echo; while :; do sleep 0.01; done) & echo $!; wait"
            let receiver = ChildProcessTests.received(
                shell(script, whenDisposed: .terminate(grace: .milliseconds(100)), byThread: place.byThread, scheduler))
            #expect(soon { text(receiver).filter { $0 == "\n" }.count == 2 })
            let number = text(receiver).split(separator: "\n").compactMap { CInt($0) }.first
            let process = try #require(number)
            receiver.dispose()
            #expect(soon { isDead(process) })
        }
    }

    @Test("A process has its time to end, also if the program ends at once", arguments: Backend.built, [false, true])
    func graceOfGroup(_ backend: Backend, _ isShutDown: Bool) throws {
        let folder = TemporaryFolder()
        onLoop(backend) { scheduler in
            // Its messages about signals would meet a closed pipe.
            let script = """
                (exec 2>&-; trap 'sleep 0.1; echo > \(folder["done"]); exit' TERM
                echo ready; while :; do sleep 0.01; done) & wait
                """
            let receiver = ChildProcessTests.received(
                shell(script, whenDisposed: .terminate(grace: .seconds(20)), scheduler))
            #expect(soon { text(receiver) == "ready\n" })
            if isShutDown { scheduler.shutdown() } else { receiver.dispose() }
            #expect(soon { folder.names == ["done"] })
        }
    }

    @Test("The end of the program does not wait for processes that keep its output open", arguments: places)
    func outlived(_ place: (backend: Backend, byThread: Bool)) throws {
        try onLoop(place.backend) { scheduler in
            let receiver = ChildProcessTests.received(
                shell("sleep 100 & echo $!; exit 3", byThread: place.byThread, scheduler))
            let process = try #require(grandchild(receiver))
            #expect(soon { receiver.elements.last == .exited(status: 3) })
            #expect(!receiver.isCompleted)
            receiver.dispose()
            // A program that has ended by itself leaves its processes alone.
            usleep(20_000)
            #expect(!isDead(process))
            kill(process, SIGKILL)
        }
    }

    @Test("Output of processes that outlive the program follows its end", arguments: Backend.built)
    func laterOutput(_ backend: Backend) {
        let folder = TemporaryFolder()
        mkfifo(folder["pipe"], 0o600)
        onLoop(backend) { scheduler in
            let bytes = Guarded(0)
            let hasExited = Guarded(false)
            let receiver = Receiver(
                shell("(read line < \(folder["pipe"]); head -c 300000 /dev/zero) & echo; exit 0", scheduler)
            ) { event in
                if case .output(let chunk) = event { bytes.change { $0 += chunk.count } }
                if event == .exited(status: 0) { hasExited.value = true }
                return false
            }
            #expect(soon { hasExited.value })
            #expect(bytes.value == 1)
            folder.append("go\n".utf8, to: "pipe")
            #expect(receiver.wait() && receiver.isCompleted)
            #expect(bytes.value == 300_001)
        }
    }

    @Test("The end of the program comes in the midst of endless output of another process", arguments: Backend.built)
    func endlessOutput(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(shell("yes & echo $! >&2; exit 4", scheduler)) { event in
                if case .output = event { false } else { true }
            }
            #expect(soon { receiver.elements.last == .exited(status: 4) })
            receiver.dispose()
        }
    }

    @Test("Collected output ends with the program", arguments: Backend.built)
    func collected(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let receiver = Receiver(
                ChildProcess.output(
                    "sh", arguments: ["-c", "sleep 100 & echo $!; head -c 200000 /dev/zero"], scheduler: scheduler
                ).asObservable())
            #expect(receiver.wait() && receiver.isCompleted)
            let output = receiver.elements.first?.output ?? []
            #expect(
                receiver.elements.first?.status == 0
                    && Array(output.suffix(200_000)) == [UInt8](repeating: 0, count: 200_000))
            let number = String(decoding: output.prefix { $0 != 10 }, as: UTF8.self)
            kill(CInt(number) ?? 0x7fff_fff0, SIGKILL)
        }
    }

    @Test("A paused subscriber gets all output before the end of the program", arguments: Backend.built)
    func paused(_ backend: Backend) {
        onLoop(backend) { scheduler in
            let queue = BlockedQueue()
            let receiver = ChildProcessTests.received(
                shell("head -c 5000000 /dev/zero; sleep 100 & echo $! >&2; exit 0", scheduler).observe(
                    on: queue.scheduler))
            usleep(50_000)
            queue.open()
            #expect(soon { receiver.elements.last == .exited(status: 0) })
            let bytes = receiver.elements.reduce(0) {
                if case .output(let chunk) = $1 { $0 + chunk.count } else { $0 }
            }
            #expect(bytes == 5_000_000)
            // The number of the process may come in pieces.
            let number = receiver.elements.map { if case .errorOutput(let chunk) = $0 { String(chunk) } else { "" } }
            kill(CInt(number.joined().dropLast()) ?? 0x7fff_fff0, SIGKILL)
            #expect(receiver.wait() && receiver.isCompleted)
        }
    }

    enum Cut: CaseIterable { case isDisposed, loopEnds, inputFails }

    /// The fault: its input was closed first, and `cat > file && mv file whole` took what it had for everything.
    @Test(
        "A program whose input is cut off is ended before it sees an end of it", arguments: Backend.built, Cut.allCases)
    func cutInput(_ backend: Backend, _ cut: Cut) throws {
        struct Failure: Error {}
        let folder = TemporaryFolder()
        for disposal in [Disposal.kill, .terminate(grace: .seconds(20))] {
            for _ in 0..<stepCount(40, debug: 20) {
                onLoop(backend) { scheduler in
                    let input = PublishSubject<ByteChunk>()
                    let receiver = ChildProcessTests.received(
                        ChildProcessTests.shell(
                            "echo ready; cat > /dev/null && : > \(folder["whole"])", input: input,
                            whenDisposed: disposal, scheduler))
                    #expect(soon { text(receiver) == "ready\n" })
                    input.onNext(ByteChunk("half"))
                    switch cut {
                    case .isDisposed: receiver.dispose()
                    case .loopEnds: scheduler.shutdown()
                    case .inputFails: input.onError(Failure())
                    }
                    guard case .started(let pid)? = receiver.elements.first else { return }
                    #expect(soon { ChildProcessTests.isGone(pid) })
                }
            }
        }
        #expect(folder.names.isEmpty)
    }
}
