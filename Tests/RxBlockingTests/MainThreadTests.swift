// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxBlocking
import RxSwift
import XCTest

/// XCTest runs these on the main thread, whose run loop runs the main queue.
final class MainThreadTests: XCTestCase {
    private let background = SerialDispatchQueueScheduler(internalSerialQueueName: "background")

    func testTheMainQueueRunsWhileTheMainThreadWaits() throws {
        XCTAssert(Thread.isMainThread)
        for scheduler in [MainScheduler.instance, MainScheduler.asyncInstance] {
            let source = Observable.of(1, 2).observe(on: background).observe(on: scheduler)
            XCTAssertEqual(try source.toBlocking(timeout: 30).toArray(), [1, 2])
            XCTAssertEqual(try source.map { $0 }.share(replay: 1).toBlocking().first(), 1)
        }
        let delayed = Observable.just(1).delay(.milliseconds(5), scheduler: MainScheduler.instance)
        XCTAssertEqual(try delayed.toBlocking().toArray(), [1])
        XCTAssertEqual(try Observable.just(1).subscribe(on: MainScheduler.asyncInstance).toBlocking().toArray(), [1])
    }

    func testEventsFromElsewhereEndTheWaitOnTheMainThread() throws {
        XCTAssertEqual(try Observable.of(1, 2).observe(on: background).toBlocking().toArray(), [1, 2])
        let late = Observable.just(1).delay(.milliseconds(5), scheduler: background)
        XCTAssertEqual(try late.toBlocking().toArray(), [1])
    }

    func testATimeoutEndsTheWaitOnTheMainThread() {
        XCTAssertThrowsError(
            try Observable<Int>.never().observe(on: MainScheduler.instance).toBlocking(timeout: 0.02).first()
        ) {
            XCTAssertEqual("\($0)", "\(RxError.timeout)")
        }
    }

    func testWhatWaitsBehindInlineWorkIsRun() {
        var seen: [Int]?
        _ = Observable.just(1).observe(on: MainScheduler.instance).subscribe(onNext: { _ in
            let source = Observable.of(1, 2).observe(on: self.background).observe(on: MainScheduler.instance)
            seen = try? source.toBlocking(timeout: 30).toArray()
        })
        XCTAssertEqual(seen, [1, 2])
        // The scheduler is as it was.
        XCTAssertEqual(
            try Observable.just(1).observe(on: background).observe(on: MainScheduler.instance).toBlocking().first(), 1)
    }

    func testInsideAnItemOfTheMainQueueItFailsWithWords() throws {
        var errors: [String] = []
        let finished = expectation(description: "the item has run")
        DispatchQueue.main.async {
            for scheduler in [MainScheduler.instance, MainScheduler.asyncInstance] {
                do {
                    _ = try Observable<Int>.never().observe(on: scheduler).toBlocking().first()
                } catch {
                    errors.append("\(error)")
                }
            }
            // A wait for a source without the main queue succeeds.
            let source = Observable.just(1).delay(.milliseconds(5), scheduler: self.background)
            XCTAssertEqual(try? source.toBlocking().toArray(), [1])
            finished.fulfill()
        }
        wait(for: [finished], timeout: 30)
        XCTAssertEqual(errors.count, 2)
        XCTAssert(errors.allSatisfy { $0.contains(DispatchQueue.main.label) }, "\(errors)")
    }

    func testOnAnotherQueueThatTheMainThreadIsAtWorkOn() {
        let queue = DispatchQueue(label: "synchronous")
        let source = Observable.of(1, 2).observe(on: MainScheduler.asyncInstance)
        XCTAssertEqual(try queue.sync { try source.toBlocking(timeout: 30).toArray() }, [1, 2])
    }

    func testInsideATurnOfTheMainSchedulerItFailsWithWords() throws {
        let finished = expectation(description: "the action has run")
        _ = MainScheduler.asyncInstance.schedule(()) { _ in
            XCTAssertNil(try? Observable.just(1).observe(on: MainScheduler.asyncInstance).toBlocking().first())
            finished.fulfill()
            return Disposables.create()
        }
        wait(for: [finished], timeout: 30)
    }
}
