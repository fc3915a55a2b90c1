// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// Runs a program for each test, since the conditions have to hold from the start of a process.
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

    @Test(
        "RX_IO_BACKEND selects the backend of event loops",
        .enabled(if: IOUringScheduler.Backend.built.contains(.uring)),
        arguments: [("epoll", "epoll"), ("uring", "uring"), ("", "uring"), (nil, "uring")] as [(String?, String)])
    func variable(_ value: String?, _ backend: String) {
        #expect(probe([], variable: value) == loops(backend) + loops(backend))
    }

    @Test(
        "An unknown value of RX_IO_BACKEND gives one notice and the best backend",
        .enabled(if: IOUringScheduler.Backend.built.contains(.uring)))
    func unknownVariable() {
        let lines = probe([], variable: "kqueue")
        #expect(
            lines.first == "notice RX_IO_BACKEND is 'kqueue'; it can be 'uring' or 'epoll'. The best backend is used.")
        #expect(Array(lines.dropFirst()) == loops("uring") + loops("uring"))
    }

    /// The fault: a container that forbids io_uring, or a kernel that does not have it.
    @Test(
        "Loops use epoll and give one notice if io_uring is not available",
        .enabled(if: IOUringScheduler.Backend.built.contains(.uring)),
        arguments: [(EPERM, "forbidden"), (ENOSYS, "no io_uring"), (ENOMEM, "memory"), (EMFILE, "files")],
        [nil, "uring"])
    func withoutURing(_ fault: (error: CInt, word: String), _ variable: String?) {
        let lines = probe(["\(fault.error)"], variable: variable)
        #expect(lines.first == "forbidden 0")
        #expect(lines.dropFirst().first?.hasPrefix("notice event loops use epoll: ") == true)
        #expect(lines.dropFirst().first?.contains(fault.word) == true)
        #expect(Array(lines.dropFirst(2)) == loops("epoll") + loops("epoll"))
    }

    @Test(
        "A build without the trait LIBURING uses epoll and names the trait in a notice",
        .enabled(if: IOUringScheduler.Backend.built == [.epoll]))
    func withoutTrait() {
        let lines = probe([], variable: "uring")
        #expect(lines.first?.contains("built without the trait LIBURING") == true)
        #expect(Array(lines.dropFirst()) == loops("epoll") + loops("epoll"))
    }
}
