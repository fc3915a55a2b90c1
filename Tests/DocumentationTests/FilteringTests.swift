// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

extension Documentation {
    @Suite struct FilteringTests {
        private static let animals = Observable.of("cat", "rabbit", "dog", "frog", "pig", "monkey")

        static let elements: [Example] = [
            Example("filter", prints: ["cat", "cat", "cat"]) { console, disposeBag in
                Observable.of("cat", "rabbit", "dog", "frog", "cat", "rabbit", "hamster", "frog", "cat")
                    .filter { $0 == "cat" }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("distinctUntilChanged", prints: ["cat", "pig", "cat", "monkey", "cat"]) { console, disposeBag in
                Observable.of("cat", "pig", "cat", "cat", "cat", "monkey", "cat")
                    .distinctUntilChanged()
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("element(at:)", prints: ["frog"]) { console, disposeBag in
                animals.element(at: 3).subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
            },
            Example("element(at:) beyond the end", prints: ["error(Argument out of range.)"]) { console, disposeBag in
                animals.element(at: 6).subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example("single", prints: ["next(cat)", "error(Sequence contains more than one element.)"]) {
                console, disposeBag in
                animals.single().subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example(
                "single with a condition",
                prints: [
                    "next(frog)", "completed",
                    "next(rabbit)", "error(Sequence contains more than one element.)",
                    "error(Sequence doesn't contain any elements.)",
                ]
            ) { console, disposeBag in
                animals.single { $0 == "frog" }.subscribe { console.print($0) }.disposed(by: disposeBag)
                Observable.of("cat", "rabbit", "dog", "cat", "rabbit", "dog")
                    .single { $0 == "rabbit" }
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
                animals.single { $0 == "ball" }.subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example("take", prints: ["next(cat)", "next(rabbit)", "next(dog)", "completed"]) { console, disposeBag in
                animals.take(3).subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example("takeLast", prints: ["next(frog)", "next(pig)", "next(monkey)", "completed"]) {
                console, disposeBag in
                animals.takeLast(3).subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example("skip", prints: ["dog", "frog", "pig", "monkey"]) { console, disposeBag in
                animals.skip(2).subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
            },
            Example("skip(while:) by index", prints: ["frog", "pig", "monkey"]) { console, disposeBag in
                animals.enumerated()
                    .skip(while: { $0.index < 3 })
                    .map(\.element)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("ignoreElements", prints: ["completed"]) { console, disposeBag in
                animals.ignoreElements().subscribe { console.print($0) }.disposed(by: disposeBag)
            },
            Example("compactMap", prints: ["1", "3"]) { console, disposeBag in
                Observable.of("1", "not a number", "3")
                    .compactMap(Int.init)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
        ]

        static let conditions: [Example] = [
            Example("take(while:)", prints: ["1", "2", "3"]) { console, disposeBag in
                Observable.of(1, 2, 3, 4, 5, 6)
                    .take(while: { $0 < 4 })
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("take(until:behavior:)", prints: ["1", "2", "3", "4"]) { console, disposeBag in
                Observable.of(1, 2, 3, 4, 5, 6)
                    .take(until: { $0 == 4 }, behavior: .inclusive)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("skip(while:)", prints: ["4", "5", "6"]) { console, disposeBag in
                Observable.of(1, 2, 3, 4, 5, 6)
                    .skip(while: { $0 < 4 })
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("take(until:)", prints: ["next(cat)", "next(rabbit)", "next(dog)", "completed"]) {
                console, disposeBag in
                let source = PublishSubject<String>()
                let reference = PublishSubject<String>()
                source.take(until: reference).subscribe { console.print($0) }.disposed(by: disposeBag)
                source.onNext("cat")
                source.onNext("rabbit")
                source.onNext("dog")
                reference.onNext("red")
                source.onNext("frog")
                source.onNext("pig")
            },
            Example("skip(until:)", prints: ["frog", "pig"]) { console, disposeBag in
                let source = PublishSubject<String>()
                let reference = PublishSubject<String>()
                source.skip(until: reference).subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
                source.onNext("cat")
                source.onNext("rabbit")
                source.onNext("dog")
                reference.onNext("red")
                source.onNext("frog")
                source.onNext("pig")
            },
            Example("sample", prints: ["2", "4"]) { console, disposeBag in
                let source = PublishSubject<Int>()
                let sampler = PublishSubject<Void>()
                source.sample(sampler).subscribe(onNext: { console.print($0) }).disposed(by: disposeBag)
                source.onNext(1)
                source.onNext(2)
                sampler.onNext(())
                sampler.onNext(())
                source.onNext(3)
                source.onNext(4)
                sampler.onNext(())
            },
        ]

        static let transformations: [Example] = [
            Example("map", prints: ["1", "4", "9"]) { console, disposeBag in
                Observable.of(1, 2, 3)
                    .map { $0 * $0 }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("scan", prints: ["11", "111", "1111"]) { console, disposeBag in
                Observable.of(10, 100, 1_000)
                    .scan(1) { total, new in total + new }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("toArray", prints: ["success([1, 2, 3, 4, 5])"]) { console, disposeBag in
                Observable.range(start: 1, count: 5)
                    .toArray()
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
            Example("reduce", prints: ["1111"]) { console, disposeBag in
                Observable.of(10, 100, 1_000)
                    .reduce(1, accumulator: +)
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
            Example("reduce ends with completed", prints: ["next(45)", "completed"]) { console, disposeBag in
                Observable.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
                    .reduce(0, accumulator: +)
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
            Example("materialize", prints: ["next(next(1))", "next(error(test))", "completed"]) { console, disposeBag in
                Observable<Int>.just(1).concat(Observable.error(ExampleError.test))
                    .materialize()
                    .subscribe { console.print($0) }
                    .disposed(by: disposeBag)
            },
            Example("groupBy", prints: ["odd 1", "even 2", "odd 3"]) { console, disposeBag in
                Observable.of(1, 2, 3)
                    .groupBy { $0 % 2 == 0 ? "even" : "odd" }
                    .flatMap { group in group.map { "\(group.key) \($0)" } }
                    .subscribe(onNext: { console.print($0) })
                    .disposed(by: disposeBag)
            },
        ]

        @Test("Each example prints its documented output", arguments: elements + conditions + transformations)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }
    }
}
