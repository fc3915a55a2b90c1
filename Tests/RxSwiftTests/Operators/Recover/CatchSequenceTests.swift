// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct CatchSequenceTests {
    @Test("The sequences are tried in order until one completes") func order() {
        let sources = [failing(1), failing(2), sequence(3), sequence(4)]
        #expect(text(of: .catch(sequence: sources)) == "1 2 3 completed")
        #expect(text(of: .catch(sequence: [failing(1, with: 1), failing(2, with: 2)])) == "1 2 error(2)")
        #expect(text(of: Observable<Int>.catch(sequence: [])) == "completed")
    }
}
