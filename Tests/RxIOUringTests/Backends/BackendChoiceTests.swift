import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// What a process gets, under conditions that have to hold from its start: so the loops are those of a program that is run.
@Suite struct BackendChoiceTests {
    private func probe(_ arguments: [String], variable: String? = nil) -> [String] {
        var environment = ProcessInfo.processInfo.environment
        environment["RX_IO_BACKEND"] = variable
        let scheduler = IOUringScheduler(backend: .epoll)
        defer { scheduler.shutdown() }
        let output = Receiver(
            ChildProcess.output(
                builtProgram("BackendProbe"), arguments: ["backend"] + arguments, environment: environment,
                scheduler: scheduler
            ).asObservable())
        #expect(output.wait(seconds: 60))
        #expect(output.error == nil)
        #expect(output.elements.first?.status == 0)
        return String(decoding: output.elements.first?.output ?? [], as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    private func loops(_ backend: String) -> [String] { ["backend \(backend)", "read hello"] }

    @Test(.enabled(if: IOUringScheduler.Backend.built.contains(.uring)))
    func theVariableSaysWhich() {
        #expect(probe([], variable: "epoll") == loops("epoll") + loops("epoll"))
        #expect(probe([], variable: "uring") == loops("uring") + loops("uring"))
        #expect(probe([], variable: "") == loops("uring") + loops("uring"))
        #expect(probe([]) == loops("uring") + loops("uring"))
    }

    /// The fault: a value that means nothing.
    @Test(.enabled(if: IOUringScheduler.Backend.built.contains(.uring)))
    func aVariableThatMeansNothingIsToldOnce() {
        let lines = probe([], variable: "kqueue")
        #expect(
            lines.first == "notice RX_IO_BACKEND is 'kqueue'; it can be 'uring' or 'epoll'. The best backend is used.")
        #expect(Array(lines.dropFirst()) == loops("uring") + loops("uring"))
    }

    /// The fault: a container that forbids io_uring, or a kernel that does not have it.
    @Test(
        .enabled(if: IOUringScheduler.Backend.built.contains(.uring)),
        arguments: [(EPERM, "forbidden"), (ENOSYS, "no io_uring"), (ENOMEM, "memory"), (EMFILE, "files")])
    func withoutURingThereIsEpollAndOneNotice(_ error: CInt, _ word: String) {
        // Asked for or not.
        for variable in [nil, "uring"] {
            let lines = probe(["\(error)"], variable: variable)
            #expect(lines.first == "forbidden 0")
            #expect(lines.dropFirst().first?.hasPrefix("notice event loops use epoll: ") == true)
            #expect(lines.dropFirst().first?.contains(word) == true)
            #expect(Array(lines.dropFirst(2)) == loops("epoll") + loops("epoll"))
        }
    }

    @Test(.enabled(if: IOUringScheduler.Backend.built == [.epoll]))
    func withoutTheTraitThereIsEpollAndANoticeThatNamesIt() {
        let lines = probe([], variable: "uring")
        #expect(lines.first?.contains("built without the trait LIBURING") == true)
        #expect(Array(lines.dropFirst()) == loops("epoll") + loops("epoll"))
    }
}
