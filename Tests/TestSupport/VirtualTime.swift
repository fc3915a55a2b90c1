// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest

/// A scheduler in whose virtual time a tick is a second.
package func ticks() -> TestScheduler { TestScheduler(initialClock: 0) }

/// Elements at given times.
package func script<Element>(_ elements: (Int, Element)...) -> [Recorded<Event<Element>>] {
    elements.map { Recorded(time: $0.0, value: .next($0.1)) }
}
