// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import XCTest

final class XCTestAssertionTests: XCTestCase {
    private struct Failure: Error {}

    func testEqualListsPass() {
        XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed])
        XCTAssertEqual([Recorded.next(1, "a"), .completed(2)], [.next(1, "a"), .completed(2)])
        XCTAssertEqual([Recorded.next(1, Int?.none), .error(2, Failure())], [.next(1, nil), .error(2, Failure())])
        XCTAssertEqual([Result<Int, any Error>.success(1), .failure(Failure())], [.success(1), .failure(Failure())])
        XCTAssertEqual([MaybeEvent.success(1), .error(Failure())], [.success(1), .error(Failure())])
        XCTAssertEqual([CompletableEvent.completed], [.completed])
        XCTAssertRecordedElements([.next(1, "a"), .next(5, "b")], ["a", "b"])
    }

    func testMarblesAreComparedAsEvents() throws {
        XCTAssertEqual(try Recorded.events(marbles: "-a|"), [.next(1, "a"), .completed(2)])
        XCTAssertThrowsError(try Recorded.events(marbles: "-a|b"))
    }

    func testDifferentListsFail() {
        expectFailure { XCTAssertEqual([Event.next(1), .completed], [.next(2), .completed]) }
        expectFailure { XCTAssertEqual([Recorded.next(1, "a")], [.next(2, "a")]) }
        expectFailure { XCTAssertEqual([Recorded.next(1, "a")], []) }
        expectFailure { XCTAssertEqual([MaybeEvent.success(1)], [.completed]) }
        expectFailure { XCTAssertEqual([CompletableEvent.completed], [.error(Failure())]) }
        expectFailure { XCTAssertRecordedElements([.next(1, "a")], ["b"]) }
        expectFailure { XCTAssertRecordedElements([.next(1, "a"), .completed(2)], ["a"]) }
    }

    private var isExpectingFailure = false
    private var failures = 0

    private func expectFailure(line: UInt = #line, _ body: () -> Void) {
        failures = 0
        isExpectingFailure = true
        body()
        isExpectingFailure = false
        XCTAssertEqual(failures, 1, line: line)
    }

    override func recordFailure(
        withDescription description: String, inFile path: String, atLine line: Int, expected: Bool
    ) {
        if isExpectingFailure {
            failures += 1
        } else {
            super.recordFailure(withDescription: description, inFile: path, atLine: line, expected: expected)
        }
    }
}
