import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct StallTests {
    /// Else the program would wait in silence for what its observer keeps.
    @Test(arguments: IOUringScheduler.Backend.allCases)
    func aStreamWhoseChunksAreAllKeptSaysSo(_ backend: IOUringScheduler.Backend) async {
        let before = IOHooks.noticeHandler
        defer { IOHooks.noticeHandler = before }
        let notices = EventLog()
        IOHooks.noticeHandler = { notices.note($0) }
        await leavingNothing(backend) { folder, scheduler in
            let path = folder.append(pattern(3_000), to: "kept")
            let received = Received(
                File.read(path, chunkSize: 1_000, window: 2, scheduler: scheduler).toArray().asObservable())
            #expect(await eventually { !notices.lines.isEmpty })
            #expect(notices.text.contains(path) && notices.text.contains("2 chunks"))
            #expect(!received.hasEnded)
            received.dispose()
            // Copied, they leave the stream its memory.
            let copied = Received(
                File.read(path, chunkSize: 1_000, window: 2, scheduler: scheduler).map { Array($0) }.toArray()
                    .asObservable())
            #expect(await copied.ends() && copied.elements.first?.count == 3)
        }
        #expect(notices.lines.count == 1)
    }
}
