// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// An unlimited `retry` of what fails at once keeps neither the loop nor its end.
@Suite(.serialized) struct RetryTests {
    enum Failure: String, CaseIterable {
        case missingFile, missingDirectory, secondReceiver, closedConnection, closedFile

        /// A sequence that fails on the loop thread as soon as it is subscribed to there.
        func source(_ scheduler: IOUringScheduler) throws -> Observable<Void> {
            switch self {
            case .missingFile: return File.read("/nonexistent", scheduler: scheduler).map { _ in }
            case .missingDirectory:
                return File.write(.just(ByteChunk("a")), to: "/nonexistent/a", scheduler: scheduler).asObservable().map
                { _ in }
            case .secondReceiver:
                let socket = try UDP.bind(port: 0, scheduler: scheduler)
                let first = socket.received.subscribe(onError: { _ in })
                scheduler.performAndWait {}
                return socket.received.do(onDispose: { withExtendedLifetime(first) {} }).map { _ in }
            case .closedConnection:
                var descriptors: [CInt] = [0, 0]
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &descriptors)
                let connection = try adopted(descriptors[0], scheduler)
                connection.close()
                close(descriptors[1])
                scheduler.performAndWait {}
                return connection.write(ByteChunk("a")).asObservable().map { _ in }
            case .closedFile:
                let file = Guarded<OpenFile?>(nil)
                let opened = OneShot()
                _ = File.open("/dev/null", mode: .append, scheduler: scheduler).subscribe(onSuccess: {
                    file.value = $0
                    opened.fire()
                })
                #expect(opened.wait())
                let open = try #require(file.value)
                _ = open.close().subscribe()
                return open.write(ByteChunk("a")).asObservable().map { _ in }
            }
        }

        private func adopted(_ descriptor: CInt, _ scheduler: IOUringScheduler) throws -> Connection {
            let connection = Guarded<Connection?>(nil)
            let adopted = OneShot()
            _ = Connection.adopt(descriptor, scheduler: scheduler).subscribe(onSuccess: {
                connection.value = $0
                adopted.fire()
            })
            #expect(adopted.wait())
            return try #require(connection.value)
        }
    }

    /// The fault: each completion came within `subscribe`, so that `concat` never left the loop thread again.
    @Test("An endless sequence of what completes at once leaves the loop to others", arguments: Backend.built)
    func repetition(_ backend: Backend) throws {
        let scheduler = IOUringScheduler(backend: backend)
        let (file, opened) = (Guarded<OpenFile?>(nil), OneShot())
        _ = File.open("/dev/null", mode: .append, scheduler: scheduler).subscribe(onSuccess: {
            file.value = $0
            opened.fire()
        })
        #expect(opened.wait())
        let open = try #require(file.value)
        let writes = sequence(first: 0, next: { $0 + 1 }).lazy.map { _ in open.write(ByteChunk([])).asObservable() }
        let (ran, hasEnded, subscription) = (OneShot(), OneShot(), SerialDisposable())
        nonisolated(unsafe) let repeated = Observable.concat(writes)
        scheduler.run { subscription.disposable = repeated.subscribe(onError: { _ in }) }
        scheduler.run { ran.fire() }
        #expect(ran.wait(seconds: 5))
        Thread.detachNewThread {
            scheduler.shutdown()
            hasEnded.fire()
        }
        #expect(hasEnded.wait(seconds: 5))
        subscription.dispose()
    }

    /// The fault: the failure came within `subscribe`, so that `retry` never left the loop thread again.
    @Test("A retry of what fails at once leaves the loop to others", arguments: Backend.built, Failure.allCases)
    func retry(_ backend: Backend, _ failure: Failure) throws {
        let scheduler = IOUringScheduler(backend: backend)
        let source = try failure.source(scheduler)
        let (failures, ran, hasEnded) = (AtomicCounter(0), OneShot(), OneShot())
        let subscription = SerialDisposable()
        scheduler.run {
            subscription.disposable = source.do(onError: { _ in failures.increment() }).retry().subscribe()
        }
        scheduler.run { ran.fire() }
        #expect(ran.wait(seconds: 5))
        #expect(waitUntil { failures.value > 100 })
        Thread.detachNewThread {
            scheduler.shutdown()
            hasEnded.fire()
        }
        #expect(hasEnded.wait(seconds: 5))
        subscription.dispose()
    }
}
