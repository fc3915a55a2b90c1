// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct PublisherProgressTests {
    @Test func anAnswerMakesTheNextMessageOfAWindowDue() {
        var progress = PublisherProgress(isWindowed: true)
        progress.handle(.due(3))
        #expect(progress.batch == 3)
        progress.handle(.acknowledged)
        #expect(progress.batch == 1)
        #expect(progress.sent == 4)
    }

    @Test func whatIsLateIsSentAtOnce() {
        var progress = PublisherProgress(isWindowed: false)
        progress.handle(.due(1))
        progress.handle(.due(7))
        #expect(progress.batch == 6)
        progress.handle(.due(7))
        #expect(progress.batch == 0)
        #expect(progress.sent == 7)
    }

    @Test func withARateOnlyTheClockMakesMessagesDue() {
        var progress = PublisherProgress(isWindowed: false)
        progress.handle(.due(2))
        progress.handle(.acknowledged)
        #expect(progress.batch == 0)
    }

    @Test(arguments: [true, false])
    func endsWhenTheTimeIsOverAndAllIsAcknowledged(isWindowed: Bool) {
        var progress = PublisherProgress(isWindowed: isWindowed)
        progress.handle(.due(2))
        progress.handle(.timeIsOver)
        progress.handle(.acknowledged)
        #expect(progress.batch == 0)
        #expect(!progress.isFinished)
        progress.handle(.due(5))
        #expect(progress.batch == 0)
        progress.handle(.acknowledged)
        #expect(progress.isFinished)
        #expect(progress.sent == 2)
    }
}
