// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct WindowTests {
    /// Expects the elements of all windows, and below each element the number of its window.
    private func expectWindows(
        source: String, result: String, window: String, active: String, disposed: TestTime = 1000,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func windows(_ source: Observable<Int>, _ scheduler: TestScheduler) -> Observable<(number: Int, element: Int)> {
            var count = 0
            return source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).flatMap { window in
                let number = count
                count += 1
                return window.map { (number: number, element: $0) }
            }
        }
        try expectMarbles(
            source: source, result: result, active: active, ticks: 5, disposed: disposed, sourceLocation: sourceLocation
        ) { windows($0, $1).map { $0.element } }
        try expectMarbles(
            source: source, result: window, active: active, ticks: 5, disposed: disposed, sourceLocation: sourceLocation
        ) { windows($0, $1).map { $0.number } }
    }

    @Test("A window ends after 3 elements or 70 ticks") func timeOrCount() throws {
        try expectWindows(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------|",
            result: " ^12-----3-------4-------5-----6---7---------8---------9-------------------------|",
            window: " ^00-----0-------1-------2-----2---2---------3---------4-------------------------|",
            active: " ^-------------------------------------------------------------------------------!")
    }

    @Test("An error ends the open window and the result") func error() throws {
        try expectWindows(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------#",
            result: " ^12-----3-------4-------5-----6---7---------8---------9-------------------------#",
            window: " ^00-----0-------1-------2-----2---2---------3---------4-------------------------#",
            active: " ^-------------------------------------------------------------------------------!")
    }

    @Test("Disposal ends a window that no other subscription holds") func disposal() throws {
        try expectWindows(
            source: "0^12-----3-------4-------5-----6---7---------8---------9-------------------------|",
            result: " ^12-----3-------4-------5-----6---7",
            window: " ^00-----0-------1-------2-----2---2",
            active: " ^---------------------------------!",
            disposed: 370)
    }

    @Test("A subscribed window keeps the source after the outer subscription is disposed of") func heldWindow() {
        let scheduler = ticks()
        let source = scheduler.createHotObservable(
            script(
                (105, 0), (205, 1), (210, 2), (240, 3), (280, 4), (320, 5), (350, 6), (370, 7), (420, 8), (470, 9))
                + [.completed(600)])
        let observer = scheduler.createObserver(Int.self)
        var outer: (any Disposable)?
        scheduler.scheduleAt(200) {
            outer = source.window(timeSpan: .seconds(100), count: 0, scheduler: scheduler)
                .subscribe(onNext: { _ = $0.subscribe(observer) })
        }
        scheduler.scheduleAt(230) { outer?.dispose() }
        scheduler.start()
        #expect(observer.events == [.next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .completed(300)])
        #expect(source.subscriptions == [Subscription(200, 300)])
    }

    /// The fault: the hop of the open window had room, and so the source never paused, however full the stage behind was.
    @Test("The source pauses as the stage behind the windows does, also while the open window has room")
    func pausesBehindHops() async {
        let probe = PausableProbe()
        let hops = SerialDispatchQueueScheduler(internalSerialQueueName: "windows")
        let other = PublishSubject<Int>()
        // A zip pauses a source while 256 elements wait, until 128 do.
        let windows = probe.observable.window(timeSpan: .seconds(1_000), count: 50, scheduler: hops)
        let subscription = Observable.zip(windows.flatMap { $0.observe(on: hops) }, other).subscribe()
        #expect(
            await eventually {
                if !probe.isPaused { probe.emitUntilPaused(limit: 10) }
                return probe.isPaused
            })
        #expect(probe.count < 20_000)
        // Behind what was on its way.
        #expect(
            await eventually {
                other.onNext(0)
                return probe.resumeCount == 1
            })
        subscription.dispose()
    }
}
