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
                let descriptors = socketPair()
                let connection = try RetryTests.outcome(of: Connection.adopt(descriptors[0], scheduler: scheduler))
                connection.close()
                close(descriptors[1])
                scheduler.performAndWait {}
                return connection.write(ByteChunk("a")).asObservable().map { _ in }
            case .closedFile:
                let file = try RetryTests.outcome(of: File.open("/dev/null", mode: .append, scheduler: scheduler))
                _ = file.close().subscribe()
                return file.write(ByteChunk("a")).asObservable().map { _ in }
            }
        }
    }

    private static func outcome<Element>(of single: Single<Element>) throws -> Element {
        let (outcome, hasEnded) = (Guarded<Element?>(nil), OneShot())
        _ = single.subscribe(
            onSuccess: {
                outcome.value = $0
                hasEnded.fire()
            }, onFailure: { _ in hasEnded.fire() })
        #expect(hasEnded.wait())
        return try #require(outcome.value)
    }

    /// The fault: each completion came within `subscribe`, so that `concat` never left the loop thread again.
    @Test("An endless sequence of what completes at once leaves the loop to others", arguments: Backend.built)
    func repetition(_ backend: Backend) throws {
        let scheduler = IOUringScheduler(backend: backend)
        let file = try RetryTests.outcome(of: File.open("/dev/null", mode: .append, scheduler: scheduler))
        let writes = sequence(first: 0, next: { $0 + 1 }).lazy.map { _ in file.write(ByteChunk([])).asObservable() }
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
