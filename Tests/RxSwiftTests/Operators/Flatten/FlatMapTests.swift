// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct FlatMapTests {
    @Test("The inner sequences run side by side") func picture() throws {
        try expectMarbles(
            source: "^1----2---------|",
            second: " ^-7-8-9|",
            result: "^--7-8-97-8-9---|",
            isCold: true
        ) { source, second, _ in source.flatMap { _ in second } }
    }
}
