// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Compiles and runs the forms in which programs write `zip` and `combineLatest`.
@Suite struct CombiningFormsTests {
    private let number = Observable.just(1)
    private let text = Observable.just("a")

    private func result<Element>(_ source: Observable<Element>) -> String {
        let transcript = EventLog()
        _ = transcript.observe(source)
        return transcript.text
    }

    @Test("Selectors may be closures, operators, functions and initializers") func selectors() {
        #expect(result(Observable.zip(number, text) { "\($0)\($1)" }) == "1a completed")
        #expect(result(Observable.zip(number, text, resultSelector: { "\($0)\($1)" })) == "1a completed")
        #expect(result(Observable<String>.zip(number, text) { "\($0)\($1)" }) == "1a completed")
        #expect(result(Observable<Int>.zip(number, number, resultSelector: +)) == "2 completed")
        #expect(result(Observable.zip(number, number, resultSelector: max)) == "1 completed")
        #expect(result(Observable.combineLatest(number, text) { "\($0)\($1)" }) == "1a completed")
        #expect(result(Observable<Int>.combineLatest(number, number, resultSelector: +)) == "2 completed")
        let both: Observable<Bool> = .combineLatest(number, text) { n, t in
            let isOne = n == 1
            return isOne && !t.isEmpty
        }
        #expect(result(both) == "true completed")
        #expect(result(Observable.zip(number, text) { ($0, $1) }.map { $0.1 }) == "a completed")
        struct Pair { let number: Int, text: String }
        #expect(result(Observable.zip(number, text, resultSelector: Pair.init).map { $0.text }) == "a completed")
    }

    @Test("Without a selector the elements come as tuples") func tuples() {
        let pair = Observable.zip(number, text)
        let typed: Observable<(Int, String)> = pair
        #expect(result(typed.map { n, t in "\(n)\(t)" }) == "1a completed")
        #expect(result(Observable.combineLatest(number, text).map { "\($0)\($1)" }) == "1a completed")
        #expect(result(Observable.combineLatest(number, text, number).map { $0.2 + $0.0 }) == "2 completed")
        let eight = Observable.zip(number, number, number, number, number, number, number, text)
        #expect(result(eight.map { $0.7 }) == "a completed")
    }

    @Test("Collections of sources make arrays or call a selector") func collections() {
        #expect(result(Observable.zip([number, number])) == "[1, 1] completed")
        #expect(result(Observable.zip([number, number]) { $0.reduce(0, +) }) == "2 completed")
        #expect(result(Observable<Int>.zip([number, number], resultSelector: { $0.count })) == "2 completed")
        #expect(result(Observable.combineLatest([number, number])) == "[1, 1] completed")
        #expect(result(Observable.combineLatest([number, number]) { $0.count }) == "2 completed")
        #expect(result(Observable.combineLatest([1, 2].map { Observable.just($0) })) == "[1, 2] completed")
        let subjects = [PublishSubject<Int>(), PublishSubject<Int>()]
        let transcript = EventLog()
        let subscription = transcript.observe(Observable.combineLatest(subjects) { $0.reduce(0, +) })
        subjects[0].onNext(1)
        subjects[1].onNext(2)
        #expect(transcript.text == "3")
        subscription.dispose()
    }

    @Test("Sources may be of different kinds") func kinds() {
        let subject = PublishSubject<Int>()
        let transcript = EventLog()
        let subscription = transcript.observe(Observable.combineLatest(subject, text, number) { $0 + $2 })
        subject.onNext(2)
        #expect(transcript.text == "3")
        subscription.dispose()
    }

    @Test("Three to eight sources combine") func arities() {
        let n = number
        #expect(result(Observable.zip(n, n, n) { $0 + $1 + $2 }) == "3 completed")
        #expect(result(Observable.zip(n, n, n, n) { $0 + $1 + $2 + $3 }) == "4 completed")
        #expect(
            result(Observable.zip(n, n, n, n, n) { (a: Int, b: Int, c: Int, d: Int, e: Int) in a + e }) == "2 completed"
        )
        #expect(result(Observable.zip(n, n, n, n, n, n) { a, _, _, _, _, f in a + f }) == "2 completed")
        #expect(result(Observable.zip(n, n, n, n, n, n, n) { a, _, _, _, _, _, g in a + g }) == "2 completed")
        #expect(result(Observable.zip(n, n, n, n, n, n, n, n) { a, _, _, _, _, _, _, h in a + h }) == "2 completed")
        #expect(result(Observable.combineLatest(n, n, n) { $0 + $1 + $2 }) == "3 completed")
        #expect(result(Observable.combineLatest(n, n, n, n) { $0 + $1 + $2 + $3 }) == "4 completed")
        #expect(result(Observable.combineLatest(n, n, n, n, n) { a, _, _, _, e in a + e }) == "2 completed")
        #expect(result(Observable.combineLatest(n, n, n, n, n, n) { a, _, _, _, _, f in a + f }) == "2 completed")
        #expect(result(Observable.combineLatest(n, n, n, n, n, n, n) { a, _, _, _, _, _, g in a + g }) == "2 completed")
        #expect(
            result(Observable.combineLatest(n, n, n, n, n, n, n, n) { a, _, _, _, _, _, _, h in a + h })
                == "2 completed")
    }
}
