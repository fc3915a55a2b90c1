import Dispatch
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct SendOrderTests {
    /// As when a subject hands events on from thread to thread.
    @Test(arguments: IOUringScheduler.Backend.allCases)
    func aSendOnTheLoopComesBehindAnEarlierOneOfAnotherThread(_ backend: IOUringScheduler.Backend) throws {
        try leavingNothingBehind {
            let server = try Server(backend, keeps: true)
            let peer = PlainSocket(connectedTo: server.address)
            let connection = try #require(server.firstConnection())

            let isOnLoop = DispatchSemaphore(value: 0)
            let isSent = DispatchSemaphore(value: 0)
            _ = connection.scheduler.schedule(()) { _ in
                isOnLoop.signal()
                isSent.wait()
                connection.send("second")
                return Disposables.create()
            }
            isOnLoop.wait()
            connection.send("first ")
            isSent.signal()
            #expect(String(decoding: peer.receive(12), as: UTF8.self) == "first second")

            peer.close()
            server.end()
        }
    }
}
