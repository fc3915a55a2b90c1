// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import Testing

extension Documentation {
    @Suite struct CombiningTests {
        static let several: [Example] = [
            Example("startWith", prints: ["3", "A", "B", "2", "1", "dog", "cat"]) { console, disposeBag in
                Observable.of("dog", "cat")
                    .startWith("1")
                    .startWith("2")
                    .startWith("3", "A", "B")
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("merge", prints: ["A", "B", "1", "2", "AB", "3"]) { console, disposeBag in
                let letters = PublishSubject<String>()
                let digits = PublishSubject<String>()
                Observable.of(letters, digits)
                    .merge()
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                letters.onNext("A")
                letters.onNext("B")
                digits.onNext("1")
                digits.onNext("2")
                letters.onNext("AB")
                digits.onNext("3")
            },
            Example("merge(maxConcurrent:)", prints: ["apple", "lemon", "blue"]) { console, disposeBag in
                let fruits = PublishSubject<String>()
                let colours = PublishSubject<String>()
                Observable.of(fruits, colours)
                    .merge(maxConcurrent: 1)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                fruits.onNext("apple")
                colours.onNext("red")
                fruits.onNext("lemon")
                fruits.onCompleted()
                colours.onNext("blue")
            },
            Example("zip", prints: ["A 1", "B 2", "AB 3"]) { console, disposeBag in
                let letters = PublishSubject<String>()
                let digits = PublishSubject<Int>()
                Observable.zip(letters, digits) { letter, digit in "\(letter) \(digit)" }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                letters.onNext("A")
                letters.onNext("B")
                digits.onNext(1)
                digits.onNext(2)
                letters.onNext("AB")
                digits.onNext(3)
            },
            Example("zip of lists of different length", prints: ["next(1 dog apple)", "next(2 cat pear)", "completed"])
            {
                console, disposeBag in
                Observable.zip(
                    Observable.of(1, 2), Observable.of("dog", "cat", "mouse"),
                    Observable.of("apple", "pear", "orange", "lemon")
                ) { "\($0) \($1) \($2)" }
                .subscribe { console.print($0) }
                .disposed(by: disposeBag)
            },
            Example("combineLatest", prints: ["B 1", "B 2", "AB 2"]) { console, disposeBag in
                let letters = PublishSubject<String>()
                let digits = PublishSubject<Int>()
                Observable.combineLatest(letters, digits) { letter, digit in "\(letter) \(digit)" }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                letters.onNext("A")
                letters.onNext("B")
                digits.onNext(1)
                digits.onNext(2)
                letters.onNext("AB")
            },
            Example(
                "combineLatest of a collection",
                prints: [
                    "heart apple dog", "heart pear dog", "heart pear cat", "heart orange cat", "heart orange mouse",
                    "heart orange hamster",
                ]
            ) { console, disposeBag in
                let heart = Observable.just("heart")
                let fruits = Observable.from(["apple", "pear", "orange"])
                let animals = Observable.of("dog", "cat", "mouse", "hamster")
                Observable.combineLatest([heart, fruits, animals]) { "\($0[0]) \($0[1]) \($0[2])" }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("withLatestFrom", prints: ["2"]) { console, disposeBag in
                let letters = PublishSubject<String>()
                let digits = PublishSubject<String>()
                letters.withLatestFrom(digits)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                letters.onNext("A")
                letters.onNext("B")
                digits.onNext("1")
                digits.onNext("2")
                letters.onNext("AB")
            },
            Example("withLatestFrom with a selector", prints: ["AB2"]) { console, disposeBag in
                let letters = PublishSubject<String>()
                let digits = PublishSubject<String>()
                letters
                    .withLatestFrom(digits) { (letter, digit) in
                        return letter + digit
                    }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                letters.onNext("A")
                letters.onNext("B")
                digits.onNext("1")
                digits.onNext("2")
                letters.onNext("AB")
            },
            Example("amb", prints: ["10", "20"]) { console, disposeBag in
                let slow = PublishSubject<Int>()
                let quick = PublishSubject<Int>()
                slow.amb(quick)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                quick.onNext(10)
                slow.onNext(1)
                quick.onNext(20)
            },
        ]

        static let inner: [Example] = [
            Example("switchLatest", prints: ["soccer", "football", "basketball", "apple", "pear"]) {
                console, disposeBag in
                let balls = BehaviorSubject(value: "soccer")
                let fruits = BehaviorSubject(value: "apple")
                let current = BehaviorSubject(value: balls)
                current.asObservable()
                    .switchLatest()
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                balls.onNext("football")
                balls.onNext("basketball")
                current.onNext(fruits)
                balls.onNext("baseball")
                fruits.onNext("pear")
            },
            Example(
                "concat", prints: ["next(apple)", "next(pear)", "next(orange)", "next(cat)", "next(mouse)"]
            ) { console, disposeBag in
                let fruits = BehaviorSubject(value: "apple")
                let animals = BehaviorSubject(value: "dog")
                let subjects = BehaviorSubject(value: fruits)
                subjects.asObservable()
                    .concat()
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
                fruits.onNext("pear")
                fruits.onNext("orange")
                subjects.onNext(animals)
                animals.onNext("nobody sees this")
                animals.onNext("cat")
                fruits.onCompleted()
                animals.onNext("mouse")
            },
            Example(
                "concatMap", prints: ["next(apple)", "next(pear)", "next(orange)", "next(cat)", "next(mouse)"]
            ) { console, disposeBag in
                let fruits = BehaviorSubject(value: "apple")
                let animals = BehaviorSubject(value: "dog")
                let subjects = BehaviorRelay(value: fruits)
                subjects.asObservable()
                    .concatMap { $0 }
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
                fruits.onNext("pear")
                fruits.onNext("orange")
                subjects.accept(animals)
                animals.onNext("nobody sees this")
                animals.onNext("cat")
                fruits.onCompleted()
                animals.onNext("mouse")
            },
            Example("flatMap", prints: ["boy", "cat", "A", "B", "dog"]) { console, disposeBag in
                let first = BehaviorSubject(value: "boy")
                let second = BehaviorSubject(value: "A")
                let subjects = BehaviorRelay(value: first)
                subjects
                    .flatMap { $0 }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                first.onNext("cat")
                subjects.accept(second)
                second.onNext("B")
                first.onNext("dog")
            },
            Example("flatMapLatest", prints: ["boy", "cat", "A", "B"]) { console, disposeBag in
                let first = BehaviorSubject(value: "boy")
                let second = BehaviorSubject(value: "A")
                let subjects = BehaviorRelay(value: first)
                subjects
                    .flatMapLatest { $0 }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                first.onNext("cat")
                subjects.accept(second)
                second.onNext("B")
                first.onNext("dog")
            },
            Example("flatMapFirst", prints: ["boy", "cat", "dog"]) { console, disposeBag in
                let first = BehaviorSubject(value: "boy")
                let second = BehaviorSubject(value: "A")
                let subjects = BehaviorRelay(value: first)
                subjects
                    .flatMapFirst { $0 }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                first.onNext("cat")
                subjects.accept(second)
                second.onNext("B")
                first.onNext("dog")
            },
            Example("the score of the current player", prints: ["80", "85", "90", "100"]) { console, disposeBag in
                struct Player {
                    init(score: Int) { self.score = BehaviorSubject(value: score) }
                    let score: BehaviorSubject<Int>
                }
                let boy = Player(score: 80)
                let girl = Player(score: 90)
                let player = BehaviorSubject(value: boy)
                player.asObservable()
                    .flatMapLatest { $0.score.asObservable() }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
                boy.score.onNext(85)
                player.onNext(girl)
                boy.score.onNext(95)
                girl.score.onNext(100)
            },
            Example("a calculated variable", prints: ["3 is positive", "6 is positive"]) { console, disposeBag in
                let a = BehaviorRelay(value: 1)
                let b = BehaviorRelay(value: 2)
                let c = Observable.combineLatest(a, b) { $0 + $1 }
                    .filter { $0 >= 0 }
                    .map { "\($0) is positive" }
                c.subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
                a.accept(4)
                b.accept(-8)
            },
            Example("merge of two lists takes turns", prints: ["1", "4", "2", "5", "3", "6"]) { console, disposeBag in
                Observable.merge(.of(1, 2, 3), .of(4, 5, 6))
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
        ]

        @Test("Each example prints its documented output", arguments: several + inner)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }
    }
}
