// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Sources that find a serializer busy.
@Suite struct PauseQuestionTests {
    /// Sends elements of a second source while the first one's element is being delivered. Returns the number sent before the pause.
    private func countWhileBusy<Element>(_ element: @escaping (Int) -> Element) -> Int {
        let (first, second) = (PausableProbe(element), PausableProbe(element))
        var sent = 0
        let subscription = Observable.merge(first.observable, second.observable).subscribe(onNext: { _ in
            if sent == 0 { sent = second.emitUntilPaused(limit: 100) }
        })
        first.emit()
        subscription.dispose()
        return sent
    }

    @Test("Of elements that weigh, two wait at a busy serializer") func heavyElements() {
        #expect(countWhileBusy { [UInt8](repeating: 0, count: $0) } == 2)
    }

    @Test("A source of small elements asks four times before it waits for a busy serializer") func smallElements() {
        #expect(countWhileBusy { $0 } == 4)
    }
}
