// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import Testing

extension ObservableType {
    /// Subscribes, and prints each event with the name of the subscription.
    fileprivate func addObserver(_ id: String, _ console: Console) -> any Disposable {
        subscribe { console.print("Subscription:", id, "Event:", $0) }
    }
}

extension Documentation {
    @Suite struct SubjectTests {
        private static func lines(_ seen: String...) -> [String] {
            seen.map { line in
                let parts = line.split(separator: " ")
                return "Subscription: \(parts[0]) Event: \(parts[1])"
            }
        }

        static let subjects: [Example] = [
            Example(
                "PublishSubject",
                prints: lines("1 next(dog)", "1 next(cat)", "1 next(A)", "2 next(A)", "1 next(B)", "2 next(B)")
            ) { console, disposeBag in
                let subject = PublishSubject<String>()
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onNext("dog")
                subject.onNext("cat")
                subject.addObserver("2", console).disposed(by: disposeBag)
                subject.onNext("A")
                subject.onNext("B")
            },
            Example(
                "ReplaySubject",
                prints: lines(
                    "1 next(dog)", "1 next(cat)", "2 next(cat)", "1 next(A)", "2 next(A)", "1 next(B)", "2 next(B)")
            ) { console, disposeBag in
                let subject = ReplaySubject<String>.create(bufferSize: 1)
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onNext("dog")
                subject.onNext("cat")
                subject.addObserver("2", console).disposed(by: disposeBag)
                subject.onNext("A")
                subject.onNext("B")
            },
            Example(
                "BehaviorSubject",
                prints: lines(
                    "1 next(red)", "1 next(dog)", "1 next(cat)", "2 next(cat)", "1 next(A)", "2 next(A)",
                    "1 next(B)", "2 next(B)", "3 next(B)", "1 next(pear)", "2 next(pear)", "3 next(pear)",
                    "1 next(orange)", "2 next(orange)", "3 next(orange)")
            ) { console, disposeBag in
                let subject = BehaviorSubject(value: "red")
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onNext("dog")
                subject.onNext("cat")
                subject.addObserver("2", console).disposed(by: disposeBag)
                subject.onNext("A")
                subject.onNext("B")
                subject.addObserver("3", console).disposed(by: disposeBag)
                subject.onNext("pear")
                subject.onNext("orange")
            },
            Example("AsyncSubject", prints: lines("1 next(hamster)", "1 completed")) { console, disposeBag in
                let subject = AsyncSubject<String>()
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onNext("dog")
                subject.onNext("cat")
                subject.onNext("hamster")
                subject.onCompleted()
            },
        ]

        /// The events of a subscriber that comes after the end.
        static let latecomers: [Example] = [
            Example("PublishSubject after completed", prints: lines("late completed")) { console, disposeBag in
                let subject = PublishSubject<Int>()
                subject.onNext(1)
                subject.onCompleted()
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example("PublishSubject after error", prints: lines("late error(test)")) { console, disposeBag in
                let subject = PublishSubject<Int>()
                subject.onNext(1)
                subject.onError(ExampleError.test)
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example(
                "ReplaySubject after completed", prints: lines("late next(2)", "late next(3)", "late completed")
            ) { console, disposeBag in
                let subject = ReplaySubject<Int>.create(bufferSize: 2)
                subject.onNext(1)
                subject.onNext(2)
                subject.onNext(3)
                subject.onCompleted()
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example(
                "ReplaySubject, unbounded, after error",
                prints: lines("late next(1)", "late next(2)", "late error(test)")
            ) { console, disposeBag in
                let subject = ReplaySubject<Int>.createUnbounded()
                subject.onNext(1)
                subject.onNext(2)
                subject.onError(ExampleError.test)
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example("BehaviorSubject after error", prints: lines("late error(test)")) { console, disposeBag in
                let subject = BehaviorSubject(value: 0)
                subject.onNext(1)
                subject.onError(ExampleError.test)
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example("AsyncSubject after completed", prints: lines("late next(2)", "late completed")) {
                console, disposeBag in
                let subject = AsyncSubject<Int>()
                subject.onNext(1)
                subject.onNext(2)
                subject.onCompleted()
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example("AsyncSubject after error", prints: lines("1 error(test)", "late error(test)")) {
                console, disposeBag in
                let subject = AsyncSubject<Int>()
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onNext(1)
                subject.onError(ExampleError.test)
                subject.addObserver("late", console).disposed(by: disposeBag)
            },
            Example("AsyncSubject without an element", prints: lines("1 completed")) { console, disposeBag in
                let subject = AsyncSubject<Int>()
                subject.addObserver("1", console).disposed(by: disposeBag)
                subject.onCompleted()
            },
        ]

        static let relays: [Example] = [
            Example("PublishRelay", prints: lines("1 next(dog)", "1 next(cat)", "2 next(cat)")) { console, disposeBag in
                let relay = PublishRelay<String>()
                relay.addObserver("1", console).disposed(by: disposeBag)
                relay.accept("dog")
                relay.addObserver("2", console).disposed(by: disposeBag)
                relay.accept("cat")
            },
            Example(
                "BehaviorRelay",
                prints: lines("1 next(red)", "1 next(dog)", "2 next(dog)", "1 next(cat)", "2 next(cat)") + ["cat"]
            ) { console, disposeBag in
                let relay = BehaviorRelay(value: "red")
                relay.addObserver("1", console).disposed(by: disposeBag)
                relay.accept("dog")
                relay.addObserver("2", console).disposed(by: disposeBag)
                relay.accept("cat")
                console.print(relay.value)
            },
            Example("ReplayRelay", prints: lines("1 next(cat)", "1 next(A)", "1 next(B)")) { console, disposeBag in
                let relay = ReplayRelay<String>.create(bufferSize: 2)
                relay.accept("dog")
                relay.accept("cat")
                relay.accept("A")
                relay.addObserver("1", console).disposed(by: disposeBag)
                relay.accept("B")
            },
            Example("a subject observes", prints: lines("1 next(1)", "1 next(2)", "1 completed")) {
                console, disposeBag in
                let subject = PublishSubject<Int>()
                subject.addObserver("1", console).disposed(by: disposeBag)
                Observable.of(1, 2).subscribe(subject).disposed(by: disposeBag)
            },
            Example("a relay outlives what is bound to it", prints: lines("1 next(1)", "1 next(2)", "1 next(3)")) {
                console, disposeBag in
                let relay = PublishRelay<Int>()
                relay.addObserver("1", console).disposed(by: disposeBag)
                Observable.of(1, 2).bind(to: relay).disposed(by: disposeBag)
                relay.accept(3)
            },
        ]

        @Test("Each example prints its documented output", arguments: subjects + latecomers + relays)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }

        @Test("A behavior subject returns its value until an error ends it") func behaviorValue() throws {
            let subject = BehaviorSubject(value: 0)
            subject.onNext(1)
            #expect(try subject.value() == 1)
            subject.onError(ExampleError.test)
            #expect(throws: ExampleError.test) { try subject.value() }
        }

        @available(*, deprecated)
        @Test("A variable completes at its release") func variable() {
            let console = Console()
            do {
                let variable = Variable(0)
                console.print("Before first subscription ---")
                _ = variable.asObservable().subscribe(
                    onNext: { n in console.print("First \(n)") }, onCompleted: { console.print("Completed 1") })
                console.print("Before send 1")
                variable.value = 1
                console.print("Before second subscription ---")
                _ = variable.asObservable().subscribe(
                    onNext: { n in console.print("Second \(n)") }, onCompleted: { console.print("Completed 2") })
                variable.value = 2
                withExtendedLifetime(variable) { console.print("End ---") }
            }
            #expect(
                console.lines == [
                    "Before first subscription ---", "First 0", "Before send 1", "First 1",
                    "Before second subscription ---", "Second 1", "First 2", "Second 2", "End ---",
                    "Completed 1", "Completed 2",
                ])
        }
    }
}
