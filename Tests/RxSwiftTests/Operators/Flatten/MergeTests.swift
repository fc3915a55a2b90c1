// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct MergeTests {
    @Test("The elements of both sources come when they are sent") func picture() throws {
        try expectMarbles(
            source: "^1--2----|",
            active: "^--------!",
            second: "^--7--8----|",
            during: "^----------!",
            result: "^1-72-8----|"
        ) { source, second, _ in Observable.merge(source, second) }
    }
}
