// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxSwift
import TestSupport
import Testing

extension Documentation {
    /// Observers, binders and other receivers of elements.
    @Suite struct ObserverTests {
        private let console = Console()

        @Test("An AnyObserver is a closure") func anyObserver() {
            let observer: AnyObserver<String> = AnyObserver { [console] event in
                switch event {
                case .next(let data): console.print("Data Task Success with data:", data)
                case .error(let error): console.print("Data Task Error:", error)
                default: break
                }
            }
            _ = Observable.of("a", "b").concat(Observable.error(ExampleError.test)).subscribe(observer)
            #expect(
                console.lines == [
                    "Data Task Success with data: a", "Data Task Success with data: b", "Data Task Error: test",
                ])
        }

        @Test("A binder writes to a view as long as the view lives") func binder() async {
            let printed = await printedOnMainQueue { console, _ in
                var label: Label? = Label()
                let isHidden = PublishSubject<Bool>()
                let observer: Binder<Bool> = Binder(label!) { label, isHidden in
                    label.isHidden = isHidden
                    console.print("hidden: \(isHidden)")
                }
                let subscription = isHidden.bind(to: observer)
                isHidden.onNext(true)
                isHidden.onNext(false)
                label = nil
                isHidden.onNext(true)
                subscription.dispose()
                console.print(label == nil)
            }
            #expect(printed == ["hidden: true", "hidden: false", "true"])
        }

        @Test("A greeting is bound to a label") func greeting() async {
            let printed = await printedOnMainQueue { console, _ in
                let (firstName, lastName, greeting) = (TextField(), TextField(), Label())
                let subscription =
                    Observable
                    .combineLatest(firstName.rx.text.orEmpty, lastName.rx.text.orEmpty) { $0 + " " + $1 }
                    .map { "Greetings, \($0)" }
                    .bind(to: greeting.rx.text)
                firstName.type("Ann")
                lastName.type("Lee")
                console.print(greeting.text)
                subscription.dispose()
                firstName.type("Bob")
                console.print(greeting.text)
            }
            #expect(printed == ["Greetings, Ann Lee", "Greetings, Ann Lee"])
        }

        @Test("bind(to:) takes several observers") func severalObservers() {
            let (first, second) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
            let numbers = PublishSubject<Int>()
            let subscription = numbers.bind(to: first, second)
            numbers.onNext(3)
            #expect(first.value == 3)
            #expect(second.value == 3)
            subscription.dispose()
        }

        @Test("Notifications are a sequence") func notifications() {
            let center = NotificationCenter()
            let name = Notification.Name("text changed")
            let subscription = center.rx.notification(name)
                .compactMap { $0.userInfo?["text"] as? String }
                .subscribe(onNext: { [console] in console.print($0) })
            center.post(name: name, object: nil, userInfo: ["text": "a"])
            center.post(name: Notification.Name("other"), object: nil, userInfo: ["text": "b"])
            subscription.dispose()
            center.post(name: name, object: nil, userInfo: ["text": "c"])
            #expect(console.lines == ["a"])
        }

        @Test("A pure chain has no side effects until it is subscribed to") func pureChain() {
            var requests = 0
            let request = Observable<Int>.deferred {
                requests += 1
                return .just(requests)
            }
            let doubled = request.map { $0 * 2 }
            #expect(requests == 0)
            _ = doubled.subscribe()
            _ = doubled.subscribe()
            #expect(requests == 2)
        }
    }
}
