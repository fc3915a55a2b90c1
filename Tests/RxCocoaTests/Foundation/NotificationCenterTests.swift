// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxSwift
import TestSupport
import Testing

@Suite struct NotificationCenterTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("name")
    private let otherName = Notification.Name("other name")

    @Test("A subscriber receives the notifications posted during its subscription") func delivery() {
        let log = EventLog()
        let notifications = center.rx.notification(name).map { $0.userInfo?["number"] as? Int ?? -1 }
        post(1)
        let first = log.observe(notifications, "a ")
        let second = log.observe(notifications, "b ")
        post(2)
        first.dispose()
        post(3)
        second.dispose()
        post(4)
        // The center promises no order among observers.
        #expect(Set(log.lines.prefix(2)) == ["a 2", "b 2"] && log.lines.dropFirst(2) == ["b 3"])
    }

    @Test("Name and object select the delivered notifications") func nameAndObject() {
        let log = EventLog()
        let (poster, stranger) = (ReleaseToken(), ReleaseToken())
        let subscriptions = [
            log.observe(center.rx.notification(name).map(\.name.rawValue), "name: "),
            log.observe(center.rx.notification(nil).map(\.name.rawValue), "all: "),
            log.observe(center.rx.notification(name, object: poster).map(\.name.rawValue), "object: "),
        ]
        let posts: [(Notification.Name, ReleaseToken?)] = [
            (name, nil), (otherName, poster), (name, stranger), (name, poster),
        ]
        let deliveries = posts.map { name, object in
            log.clear()
            center.post(name: name, object: object)
            return log.lines.sorted()
        }
        #expect(
            deliveries == [
                ["all: name", "name: name"],
                ["all: other name"],
                ["all: name", "name: name"],
                ["all: name", "name: name", "object: name"],
            ])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("The sequence retains neither the object nor the subscriber") func release() {
        weak var object: ReleaseToken?
        weak var captured: ReleaseToken?
        let notifications: Observable<Notification>
        do {
            let (poster, token) = (ReleaseToken(), ReleaseToken())
            (object, captured) = (poster, token)
            notifications = center.rx.notification(name, object: poster)
            notifications.subscribe(onNext: { _ in _ = token }).dispose()
        }
        #expect(object == nil && captured == nil)
        withExtendedLifetime(notifications) {}
    }

    @Test("A dispose inside the callback ends the subscription") func disposeInCallback() {
        let log = EventLog()
        let own = SingleAssignmentDisposable()
        own.setDisposable(log.observe(center.rx.notification(name).map { _ in 0 }) { _ in own.dispose() })
        post(1)
        post(2)
        #expect(log.lines == ["0"])
    }

    /// This is law L2: calls do not overlap.
    @Test("Notifications of several threads arrive one at a time") func threads() {
        let log = EventLog()
        let subscription = log.observe(center.rx.notification(name).map { $0.userInfo?["number"] as? Int ?? -1 })
        race({ for number in 1...500 { post(number) } }, { for number in 1...500 { post(-number) } })
        subscription.dispose()
        let numbers = log.lines.map { Int($0)! }
        #expect(!log.hasOverlapped)
        #expect(numbers.filter { $0 > 0 } == Array(1...500) && numbers.count == 1_000)
    }

    private func post(_ number: Int) {
        center.post(name: name, object: nil, userInfo: ["number": number])
    }
}
