// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct TCPTests {
    /// The result of connecting: 0, or the code and the text of the error.
    private func outcome(_ single: Single<Connection>) -> (code: CInt, text: String) {
        let result = Guarded<(CInt, String)?>(nil)
        let subscription = single.subscribe(
            onSuccess: { _ in result.value = (0, "") },
            onFailure: { error in
                let error = error as! IOError
                result.value = (error.code, "\(error)")
            })
        #expect(waitUntil { result.value != nil })
        subscription.dispose()
        return result.value ?? (-99, "")
    }

    @Test("Connecting to a port without a listener is an error", arguments: Backend.built)
    func refused(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let address = listener.address
            listener.close()
            let (code, text) = outcome(TCP.connect(to: address, scheduler: scheduler))
            #expect(code == ECONNREFUSED)
            #expect(text == "connect \(address): Connection refused (errno 111)")
            scheduler.shutdown()
        }
    }

    @Test("Connecting to a name that does not exist is an error", arguments: Backend.built)
    func unknownName(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let (code, text) = outcome(TCP.connect(host: "nonexistent.invalid", port: 80, scheduler: scheduler))
            #expect(code < 0)
            #expect(text.hasPrefix("resolve nonexistent.invalid:80: "))
            scheduler.shutdown()
        }
    }

    /// The fault: the errors came within `subscribe`, and `retry` never left it, on the loop or on the caller's thread.
    @Test("What cannot begin fails on the loop, and `retry` can be disposed of", arguments: Backend.built)
    func failsOnLoop(_ backend: Backend) throws {
        try onLoop(backend) { scheduler in
            let taken = try TCP.listener(port: 0, scheduler: scheduler)
            let longPath = String(repeating: "x", count: 200)
            let sequences: [(CInt, Observable<Connection>)] = [
                (EADDRINUSE, TCP.listen(port: taken.address.port, scheduler: scheduler)),
                (ENAMETOOLONG, Unix.connect(path: longPath, scheduler: scheduler).asObservable()),
            ]
            for (code, sequence) in sequences {
                let isOnLoop = Guarded<Bool?>(nil)
                let subscription = sequence.subscribe(onError: { error in
                    #expect((error as? IOError)?.code == code)
                    isOnLoop.value = scheduler.isCurrent
                })
                #expect(waitUntil { isOnLoop.value != nil })
                #expect(isOnLoop.value == true)
                subscription.dispose()
                scheduler.performAndWait { sequence.retry().subscribe() }.dispose()
                sequence.retry().subscribe().dispose()
            }
            taken.close()
        }
    }

    /// A listener whose backlog is full neither takes a connection nor refuses it.
    @Test("Connecting fails after its timeout", arguments: Backend.built)
    func timeout(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, backlog: 0, scheduler: scheduler)
            let bag = Guarded<[Connection]>([])
            let attempts = (0..<3).map { _ in
                TCP.connect(to: listener.address, scheduler: scheduler)
                    .subscribe(onSuccess: { connection in bag.change { $0.append(connection) } })
            }
            #expect(waitUntil { bag.value.count == 1 })
            let (code, text) = outcome(
                TCP.connect(to: listener.address, timeout: .milliseconds(50), scheduler: scheduler))
            #expect(code == ETIMEDOUT)
            #expect(text == "connect \(listener.address): Connection timed out (errno 110)")
            for attempt in attempts { attempt.dispose() }
            bag.value = []
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("Listening on a port in use is an error", arguments: Backend.built)
    func portInUse(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let listener = try TCP.listener(port: 0, scheduler: scheduler)
            let port = listener.address.port
            let log = EventLog()
            let subscription = TCP.listen(port: port, scheduler: scheduler).subscribe(onError: {
                log.note("\($0)")
            })
            #expect(soon { log.text == "bind 127.0.0.1:\(port): Address already in use (errno 98)" })
            subscription.dispose()
            listener.close()
            scheduler.shutdown()
        }
    }

    @Test("Listeners with reusePort share a port", arguments: Backend.built)
    func sharedPort(_ backend: Backend) throws {
        try leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let first = try TCP.listener(port: 0, reusePort: true, scheduler: scheduler)
            let second = try TCP.listener(port: first.address.port, reusePort: true, scheduler: scheduler)
            #expect(first.address == second.address)
            first.close()
            second.close()
            scheduler.shutdown()
        }
    }
}
