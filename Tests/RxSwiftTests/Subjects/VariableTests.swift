// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct VariableTests {
    @available(*, deprecated)
    @Test("A variable sends its values and completes at its release") func value() {
        let log = EventLog()
        var variable: Variable<Int>? = Variable(1)
        _ = log.observe(variable!.asObservable())
        variable!.value = 2
        #expect(variable!.value == 2)
        variable = nil
        #expect(log.lines == ["1", "2", "completed"])
    }
}
