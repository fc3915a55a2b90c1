// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import Testing

@Suite struct AssertionsUnderSwiftTestingTests {
    @Test("Different lists fail the test") func differentLists() {
        XCTAssertEqual([Recorded.next(1, "a")], [.next(1, "a")])
        withKnownIssue { XCTAssertEqual([Recorded.next(1, "a")], [.next(2, "a")]) }
        withKnownIssue { XCTAssertRecordedElements([.next(1, "a"), .completed(2)], ["a"]) }
    }
}
