// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct SchedulerFailureTests {
    private func withoutThread(_ backend: Backend, succeedsAt attempt: Int = .max) -> IOUringScheduler.Configuration {
        let attempts = Guarded(0)
        var configuration = IOUringScheduler.Configuration(name: "test.failing", backend: backend)
        configuration.startThread = { body in
            attempts.change { $0 += 1 }
            return attempts.value < attempt ? EAGAIN : startThread(body)
        }
        return configuration
    }

    @Test("A loop without a thread is shut down from the start, and its streams fail", arguments: Backend.built)
    func withoutThread(_ backend: Backend) throws {
        try leavingNothingBehind {
            let rejections = RejectionCounter()
            defer { rejections.stop() }
            let scheduler = IOUringScheduler(withoutThread(backend))
            #expect(scheduler.failure == IOError(code: EAGAIN, operation: "pthread_create", subject: "test.failing"))
            #expect(scheduler.backend == backend.kind)
            let ran = AtomicCounter(0)
            let action = scheduler.schedule(()) { _ in
                ran.increment()
                return Disposables.create()
            }
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                ran.increment()
                return Disposables.create()
            }
            #expect((action as? any Cancelable)?.isDisposed != false)
            #expect(waitUntil { rejections.value >= 2 })
            let hop = Observable.just(1).observe(on: scheduler).subscribe(onNext: { _ in ran.increment() })
            hop.dispose()
            func error(_ source: Observable<some Any>) -> IOError? {
                let receiver = Receiver(source)
                #expect(receiver.wait())
                return receiver.error as? IOError
            }
            func expected(_ subject: String) -> IOError {
                IOError(code: EAGAIN, operation: "pthread_create", subject: subject)
            }
            #expect(error(File.read("/etc/passwd", scheduler: scheduler)) == expected("/etc/passwd"))
            #expect(
                error(SocketAddress.resolve(host: "localhost", port: 1, scheduler: scheduler).asObservable())
                    == expected("localhost:1"))
            let address = try SocketAddress(ipv4: "127.0.0.1", port: 1)
            #expect(error(TCP.connect(to: address, scheduler: scheduler).asObservable()) == expected("127.0.0.1:1"))
            let socket = try UDP.bind(port: 0, scheduler: scheduler)
            #expect(error(socket.received)?.operation == "pthread_create")
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            #expect(error(listener.connections)?.operation == "pthread_create")
            scheduler.shutdown()
            scheduler.shutdown(draining: .seconds(1))
            #expect(ran.value == 0)
        }
    }

    @Test("A loop whose thread can be started later starts", arguments: Backend.built)
    func laterThread(_ backend: Backend) {
        onLoop(withoutThread(backend, succeedsAt: 5)) { scheduler in
            #expect(scheduler.failure == nil)
            #expect(scheduler.performAndWait { true })
        }
    }

    @Test("A failing loop gives a notice")
    func notice() {
        let before = IOHooks.noticeHandler
        defer { IOHooks.noticeHandler = before }
        let notices = Guarded<[String]>([])
        IOHooks.noticeHandler = { notice in notices.change { $0.append(notice) } }
        _ = IOUringScheduler(withoutThread(.epoll))
        #expect(notices.value.contains { $0.contains("test.failing is shut down from the start: pthread_create") })
    }

    @Test("A scheduler that can be made is returned by make", arguments: IOUringScheduler.Backend.built)
    func made(_ backend: IOUringScheduler.Backend) throws {
        let scheduler = try IOUringScheduler.make(backend: backend)
        #expect(scheduler.performAndWait { true })
        scheduler.shutdown()
    }

    /// Runs a program for each case, since the limits are those of a process.
    @Test(
        "A process without descriptors, memory for rings or room for a stack goes on",
        arguments: ["descriptors", "one descriptor", "two descriptors", "stacks"], IOUringScheduler.Backend.built)
    func limits(_ fault: String, _ backend: IOUringScheduler.Backend) {
        let scheduler = IOUringScheduler(backend: .epoll)
        defer { scheduler.shutdown() }
        var environment = ProcessInfo.processInfo.environment
        environment["RX_IO_BACKEND"] = backend.rawValue
        let output = Receiver(
            ChildProcess.output(
                builtProgram("BackendProbe"), arguments: ["failure", fault], environment: environment,
                scheduler: scheduler
            ).asObservable())
        #expect(output.wait(seconds: 60))
        #expect(output.error == nil)
        #expect(output.elements.first?.status == 0)
        let lines = String(decoding: output.elements.first?.output ?? [], as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("notice ") }
        let operation = ["descriptors": "epoll_create1", "one descriptor": "eventfd", "stacks": "pthread_create"]
        let code = fault == "stacks" ? EAGAIN : EMFILE
        guard let operation = operation[fault] else {
            // Enough for epoll.
            return #expect(lines == ["works", "made works", "later works"])
        }
        #expect(
            lines == [
                "failure \(operation) \(code)", "rejected 1", "read \(operation) \(code)", "made \(operation) \(code)",
                "later works",
            ])
    }
}
