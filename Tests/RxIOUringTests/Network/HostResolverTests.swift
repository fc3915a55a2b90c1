// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct HostResolverTests {
    private func look(_ host: TestHost, _ scheduler: IOUringScheduler) -> Receiver<[SocketAddress]> {
        Receiver(SocketAddress.resolve(host: host.name, port: 80, scheduler: scheduler).asObservable())
    }

    /// The time until a block on Dispatch's global queue begins, in milliseconds: the best of some.
    private func dispatchDelay() -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            let begun = DispatchSemaphore(value: 0)
            let start = DispatchTime.now().uptimeNanoseconds
            DispatchQueue.global().async { begun.signal() }
            _ = begun.wait(timeout: .now() + 2)
            best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
        }
        return best
    }

    @Test("Look-ups that take long keep no block of Dispatch's global queue waiting", arguments: Backend.built)
    func globalQueue(_ backend: Backend) throws {
        let address = try SocketAddress(ipv4: "10.0.0.1", port: 80)
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let host = TestHost(.success([address]), waits: true)
            let receivers = (0..<8).map { _ in look(host, scheduler) }
            #expect(waitUntil { host.lookUps.value == 8 })
            #expect(dispatchDelay() < 10)
            host.open()
            for receiver in receivers { #expect(receiver.wait() && receiver.elements == [[address]]) }
            scheduler.shutdown()
        }
    }

    @Test("A shortage of descriptors is not taken for an unknown name", arguments: Backend.built)
    func noDescriptors(_ backend: Backend) {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            #expect(scheduler.performAndWait { true })
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            var few = rlimit(rlim_cur: 64, rlim_max: old.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            var taken: [CInt] = []
            while case let fd = dup(0), fd >= 0 { taken.append(fd) }
            let receiver = Receiver(
                SocketAddress.resolve(host: "localhost", port: 80, scheduler: scheduler).asObservable())
            #expect(receiver.wait())
            for fd in taken { close(fd) }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            #expect((receiver.error as? IOError)?.code == EMFILE)
            scheduler.shutdown()
        }
    }

    @Test("A dispose ends a stream whose look-up takes long at once, and a shutdown does", arguments: Backend.built)
    func dispose(_ backend: Backend) throws {
        let host = TestHost(.success([]), waits: true)
        defer { host.open() }
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let disposed = look(host, scheduler)
            let connecting = Receiver(TCP.connect(host: host.name, port: 1, scheduler: scheduler).asObservable())
            let shutDown = look(host, scheduler)
            #expect(waitUntil { host.lookUps.value == 3 })
            disposed.dispose()
            connecting.dispose()
            #expect(disposed.wait() && disposed.error == nil && connecting.wait() && connecting.error == nil)
            #expect(scheduler.performAndWait { true })
            scheduler.shutdown()
            #expect(shutDown.wait() && (shutDown.error as? IOError)?.code == ECANCELED)
        }
    }

    @Test("A look-up that was disposed of while it waited for a thread never begins", arguments: Backend.built)
    func cancelled(_ backend: Backend) throws {
        var configuration = IOUringScheduler.Configuration(backend: backend)
        configuration.lookups = BlockingPool(name: "test", limit: 1)
        onLoop(configuration) { scheduler in
            let slow = TestHost(.success([]), waits: true)
            let other = TestHost(.success([]))
            let last = TestHost(.success([]))
            let first = look(slow, scheduler)
            #expect(waitUntil { slow.lookUps.value == 1 })
            let dropped = look(other, scheduler)
            let kept = look(last, scheduler)
            #expect(scheduler.performAndWait { true })
            dropped.dispose()
            #expect(scheduler.performAndWait { true })
            slow.open()
            #expect(first.wait() && kept.wait())
            #expect(other.lookUps.value == 0 && last.lookUps.value == 1)
        }
    }

    @Test("An error of the resolver is one of the stream", arguments: Backend.built)
    func failure(_ backend: Backend) {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let error = IOError(code: EAI_NONAME, operation: "resolve", subject: "x:80")
            let receiver = look(TestHost(.failure(error)), scheduler)
            #expect(receiver.wait() && receiver.error as? IOError == error)
            scheduler.shutdown()
        }
    }

    @Test("A look-up fails when the system has had no thread for a second, and one behind a stuck thread gets the next")
    func noThread() throws {
        let failures = Guarded(Int.max)
        var configuration = IOUringScheduler.Configuration(backend: .epoll)
        configuration.lookups = BlockingPool(name: "test", limit: 2) { body in
            let fails = failures.change { left in
                left -= 1
                return left >= 0
            }
            return fails ? EAGAIN : startThread(body)
        }
        try onLoop(configuration) { scheduler in
            let host = TestHost(.success([try SocketAddress(ipv4: "10.0.0.1", port: 80)]))
            let rejected = look(host, scheduler)
            #expect(rejected.wait())
            #expect(
                rejected.error as? IOError
                    == IOError(code: EAGAIN, operation: "pthread_create", subject: "\(host.name):80"))
            #expect(host.lookUps.value == 0)
            failures.value = 3
            let later = look(host, scheduler)
            #expect(later.wait() && later.isCompleted)
            let slow = TestHost(.success([]), waits: true)
            defer { slow.open() }
            let stuck = look(slow, scheduler)
            #expect(waitUntil { slow.lookUps.value == 1 })
            failures.value = 1
            let next = look(host, scheduler)
            #expect(next.wait() && next.isCompleted)
            stuck.dispose()
        }
    }
}
