// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import Testing

extension Documentation {
    /// Sequences that start at `connect`, in virtual time with ticks of a tenth of a second.
    @Suite struct ConnectableTests {
        private let console = Console()
        private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)

        private func seconds() -> Observable<Int> {
            Observable<Int>.interval(.seconds(1), scheduler: scheduler)
        }

        /// Prints each element with its time.
        private func subscribe(_ name: String, to source: Observable<Int>, at time: Int) {
            scheduler.scheduleAt(time) { [console, scheduler] in
                _ = source.subscribe(onNext: { console.print("\(scheduler.clock): \(name) \($0)") })
            }
        }

        @Test("Without connect each subscription counts for itself") func withoutConnect() {
            let interval = seconds()
            subscribe("first", to: interval, at: 0)
            subscribe("second", to: interval, at: 35)
            scheduler.advanceTo(50)
            #expect(
                console.lines == [
                    "10: first 0", "20: first 1", "30: first 2", "40: first 3", "45: second 0", "50: first 4",
                ])
        }

        @Test("publish starts at connect") func publish() {
            let interval = seconds().publish()
            subscribe("first", to: interval, at: 0)
            scheduler.scheduleAt(20) { _ = interval.connect() }
            subscribe("second", to: interval, at: 45)
            subscribe("third", to: interval, at: 65)
            scheduler.advanceTo(70)
            #expect(
                console.lines == [
                    "30: first 0", "40: first 1", "50: first 2", "50: second 2", "60: first 3", "60: second 3",
                    "70: first 4", "70: second 4", "70: third 4",
                ])
        }

        @Test("replay sends the last elements to late subscribers") func replay() {
            let interval = seconds().replay(2)
            subscribe("first", to: interval, at: 0)
            scheduler.scheduleAt(20) { _ = interval.connect() }
            subscribe("second", to: interval, at: 55)
            scheduler.advanceTo(60)
            #expect(
                console.lines == [
                    "30: first 0", "40: first 1", "50: first 2", "55: second 1", "55: second 2",
                    "60: first 3", "60: second 3",
                ])
        }

        @Test("multicast sends through a subject") func multicast() {
            let subject = PublishSubject<Int>()
            subscribe("subject", to: subject, at: 0)
            let interval = seconds().multicast(subject)
            subscribe("first", to: interval, at: 0)
            scheduler.scheduleAt(20) { _ = interval.connect() }
            subscribe("second", to: interval, at: 45)
            scheduler.advanceTo(50)
            #expect(
                console.lines == [
                    "30: subject 0", "30: first 0", "40: subject 1", "40: first 1",
                    "50: subject 2", "50: first 2", "50: second 2",
                ])
        }

        @Test("refCount connects for the first subscriber and disconnects after the last") func refCount() {
            let source = seconds()
                .do(
                    onSubscribe: { [console] in console.print("connected") },
                    onDispose: { [console] in console.print("gone") })
            let shared = source.publish().refCount()
            let first = shared.subscribe(onNext: { [console] in console.print("first \($0)") })
            scheduler.advanceTo(20)
            let second = shared.subscribe(onNext: { [console] in console.print("second \($0)") })
            scheduler.advanceTo(30)
            first.dispose()
            scheduler.advanceTo(40)
            second.dispose()
            let third = shared.subscribe(onNext: { [console] in console.print("third \($0)") })
            scheduler.advanceTo(50)
            third.dispose()
            #expect(
                console.lines == [
                    "connected", "first 0", "first 1", "first 2", "second 2", "second 3", "gone",
                    "connected", "third 0", "gone",
                ])
        }
    }
}
