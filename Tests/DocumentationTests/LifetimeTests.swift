// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import RxTest
import TestSupport
import Testing

/// A screen of an app, which is released at some time.
private final class Screen {
    private let gone = PublishSubject<Void>()
    let name: String

    /// Sends one element at the release of the object, as `rx.deallocated` does on Apple's platforms.
    var released: Observable<Void> { gone }

    init(_ name: String) { self.name = name }

    deinit {
        gone.onNext(())
        gone.onCompleted()
    }
}

extension Documentation {
    /// Examples of the ends of subscriptions.
    @Suite struct LifetimeTests {
        private let console = Console()
        private let texts = PublishSubject<String>()

        @Test("dispose ends an interval") func disposedInterval() {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
            let subscription = Observable<Int>.interval(.milliseconds(300), scheduler: scheduler)
                .subscribe { [console] event in console.print(event.element ?? -1) }
            scheduler.advanceTo(20)
            subscription.dispose()
            scheduler.advanceTo(40)
            #expect(console.lines == ["0", "1", "2", "3", "4", "5"])
        }

        @Test("No event arrives after a dispose on the same serial scheduler") func serialDispose() async {
            let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "documentation")
            let subscription = SerialDisposable()
            subscription.disposable = Observable<Int>.interval(
                .milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
            )
            .observe(on: scheduler)
            .subscribe { [console] event in console.print(event) }
            #expect(await eventually { console.lines.count > 3 })
            _ = scheduler.schedule(()) { [console] in
                subscription.dispose()
                console.print("disposed")
                return Disposables.create()
            }
            // The interval would have sent more elements in this time.
            let later = OneShot()
            _ = Observable<Int>.timer(.milliseconds(20), scheduler: scheduler).subscribe(onNext: { _ in later.fire() })
            #expect(await eventually { later.wait(seconds: 0) })
            #expect(console.lines.last == "disposed")
        }

        @Test("An event is processed before the next starts") func oneEventAtATime() {
            let first = PublishSubject<Int>()
            let second = PublishSubject<Int>()
            let subscription = Observable.merge(first, second).subscribe { [console] _ in
                console.print("Event processing started")
                console.print("Event processing ended")
            }
            race(
                { for number in 0..<100 { first.onNext(number) } }, { for number in 0..<100 { second.onNext(number) } })
            subscription.dispose()
            #expect(
                console.lines
                    == (0..<200).flatMap { _ in ["Event processing started", "Event processing ended"] })
        }

        @Test("A bag disposes of its members at its release") func releasedBag() {
            var disposeBag = DisposeBag()
            texts.subscribe(onNext: { [console] in console.print("1", $0) }).disposed(by: disposeBag)
            texts.subscribe(onNext: { [console] in console.print("2", $0) }).disposed(by: disposeBag)
            texts.onNext("a")
            disposeBag = DisposeBag()
            texts.onNext("b")
            texts.subscribe(onNext: { [console] in console.print("3", $0) }).disposed(by: disposeBag)
            texts.onNext("c")
            disposeBag = DisposeBag()
            #expect(console.lines == ["1 a", "2 a", "3 c"])
            #expect(!texts.hasObservers)
        }

        @Test("A disposed composite accepts no further subscription") func compositeDisposable() {
            let subscriptions = CompositeDisposable()
            _ = subscriptions.insert(texts.subscribe(onNext: { [console] in console.print("1", $0) }))
            texts.onNext("a")
            subscriptions.dispose()
            _ = subscriptions.insert(texts.subscribe(onNext: { [console] in console.print("2", $0) }))
            texts.onNext("b")
            #expect(console.lines == ["1 a"])
            #expect(!texts.hasObservers)
        }

        @Test("take(until:) ends at the release of an object") func takeUntilRelease() {
            var screen: Screen? = Screen("login")
            _ = texts.take(until: screen!.released).subscribe { [console] in console.print($0) }
            texts.onNext("a")
            screen = nil
            texts.onNext("b")
            #expect(console.lines == ["next(a)", "completed"])
            #expect(!texts.hasObservers)
            #expect(screen == nil)
        }

        @Test("withUnretained passes the object as long as it lives") func withUnretained() {
            var screen: Screen? = Screen("login")
            _ = texts.withUnretained(screen!)
                .subscribe(
                    onNext: { [console] screen, text in console.print(screen.name, text) },
                    onCompleted: { [console] in console.print("completed") })
            texts.onNext("a")
            screen = nil
            texts.onNext("b")
            #expect(console.lines == ["login a", "completed"])
            #expect(screen == nil)
        }

        @Test("subscribe(with:) does not retain the object") func subscribeWithObject() {
            var screen: Screen? = Screen("login")
            let subscription = texts.subscribe(
                with: screen!, onNext: { [console] screen, text in console.print(screen.name, text) },
                onDisposed: { [console] screen in console.print(screen.name, "disposed") })
            texts.onNext("a")
            screen = nil
            texts.onNext("b")
            subscription.dispose()
            #expect(console.lines == ["login a"])
            #expect(screen == nil)
        }

        @Test("A bag in an object ends with the object") func bagInObject() {
            final class Page {
                private let disposeBag = DisposeBag()
                private let title = BehaviorRelay(value: "")

                init(_ texts: Observable<String>, _ console: Console) {
                    texts.bind(to: title).disposed(by: disposeBag)
                    title
                        .subscribe(onNext: { [weak self] _ in
                            // The page is still being made when its first title arrives.
                            if let self { console.print(self.title.value) }
                        })
                        .disposed(by: disposeBag)
                }
            }
            var page: Page? = Page(texts, console)
            texts.onNext("a")
            page = nil
            texts.onNext("b")
            #expect(console.lines == ["", "a"])
            #expect(!texts.hasObservers)
            #expect(page == nil)
        }
    }
}
