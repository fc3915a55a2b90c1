// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct DistinctUntilChangedTests {
    private struct Item: Equatable, CustomStringConvertible {
        let id: Int
        let name: String
        var description: String { "\(id)\(name)" }
    }

    private let items = [
        Item(id: 1, name: "a"), Item(id: 1, name: "b"), Item(id: 2, name: "b"), Item(id: 1, name: "a"),
    ]

    private var source: Observable<Item> {
        let items = items
        return .create { observer in
            items.forEach(observer.onNext)
            observer.onCompleted()
            return Disposables.create()
        }
    }

    @Test("Elements equal to their predecessor are dropped") func neighbours() {
        #expect(
            events(of: sequence(1, 1, 2, 2, 1).distinctUntilChanged()) == [
                "1", "2", "1", "completed",
            ])
    }

    @Test("All forms compare with the last element that came through") func forms() {
        let expected = ["1a", "2b", "1a", "completed"]
        #expect(events(of: source.distinctUntilChanged { $0.id }) == expected)
        #expect(events(of: source.distinctUntilChanged(at: \.id)) == expected)
        #expect(events(of: source.distinctUntilChanged { $0.id == $1.id }) == expected)
        #expect(events(of: source.distinctUntilChanged({ $0.id }, comparer: { $0 == $1 })) == expected)
        let growing = sequence(1, 2, 3, 4).distinctUntilChanged { $1 - $0 < 2 }
        #expect(events(of: growing) == ["1", "3", "completed"])
    }

    @Test("An error of the source comes through") func error() {
        #expect(events(of: sequence(1, error: .expected).distinctUntilChanged()) == ["1", "error(expected)"])
    }

    @Test("An error of a closure ends the result") func closureThrows() {
        let comparer: @Sendable (Int, Int) throws -> Bool = { _, _ in throw Failure.expected }
        #expect(events(of: sequence(1, 2).distinctUntilChanged(comparer)) == ["1", "error(expected)"])
        #expect(
            events(of: sequence(1, 2).distinctUntilChanged({ $0 }, comparer: comparer)) == [
                "1", "error(expected)",
            ])
        let selector: @Sendable (Int) throws -> Int = { _ in throw Failure.other }
        #expect(events(of: sequence(1, 2).distinctUntilChanged(selector)) == ["error(other)"])
    }

    @Test("No event follows a disposal in a closure") func closureDisposes() {
        let subject = PublishSubject<Int>()
        let byKey = EventLog { dispose in
            subject.distinctUntilChanged { element -> Int in
                if element == 2 { dispose() }
                return element
            }
        }
        let byComparison = EventLog { dispose in
            subject.distinctUntilChanged { (_: Int, element: Int) -> Bool in
                if element == 2 { dispose() }
                return false
            }
        }
        for element in 1...3 { subject.onNext(element) }
        #expect(byKey.lines == ["1"] && byComparison.lines == ["1"])
    }

    @Test("The end releases the key") func release() {
        final class Key: Equatable {
            static func == (lhs: Key, rhs: Key) -> Bool { lhs === rhs }
        }
        weak var released: Key?
        let subject = PublishSubject<Int>()
        let log = EventLog(
            subject.distinctUntilChanged { _ -> Key in
                let key = Key()
                released = key
                return key
            })
        subject.onNext(1)
        #expect(released != nil)
        subject.onCompleted()
        #expect(released == nil && log.lines == ["1", "completed"])
    }
}
