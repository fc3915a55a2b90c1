// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct ToArrayTests {
    @Test("All elements come in one array") func array() {
        let source = sequence(1, 2).toArray().asObservable()
        #expect(events(of: source) == ["[1, 2]", "completed"])
        #expect(events(of: source) == ["[1, 2]", "completed"])
        #expect(events(of: Observable<Int>.empty().toArray().asObservable()) == ["[]", "completed"])
        #expect(events(of: sequence(1, error: .expected).toArray().asObservable()) == ["error(expected)"])
    }

    @Test("Long arrays, objects and what stays behind", arguments: [0, 1, 8, 9, 1_000])
    func objects(_ count: Int) {
        final class Object {}
        var objects = (0..<count).map { _ in Object() }
        weak let last = objects.last
        var arrays: [[Object]] = []
        _ = Observable.from(objects).toArray().subscribe(onSuccess: { arrays.append($0) })
        #expect(arrays.count == 1 && arrays[0].elementsEqual(objects) { $0 === $1 })
        let subject = PublishSubject<Object>()
        let subscription = subject.toArray().subscribe()
        objects.forEach(subject.onNext)
        subscription.dispose()
        (objects, arrays) = ([], [])
        #expect(last == nil)
    }

    /// The fault: the compiler's optimizer took the memory of a metatype for none.
    @Test("Metatypes, and tuples of them") func metatypes() {
        let types = events(of: Observable.of(Int.self, Int.self).toArray().asObservable())
        #expect(types == ["[Swift.Int, Swift.Int]", "completed"])
        let pairs = Observable.of((Int.self, 4), (Int.self, 5)).toArray().map { $0.map(\.1) }
        #expect(events(of: pairs.asObservable()) == ["[4, 5]", "completed"])
    }
}
