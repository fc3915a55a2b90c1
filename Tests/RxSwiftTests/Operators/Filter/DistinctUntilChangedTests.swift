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

    @Test func equalNeighboursAreDropped() {
        #expect(
            events(of: sequence(1, 1, 2, 2, 1).distinctUntilChanged()) == [
                "1", "2", "1", "completed",
            ])
    }

    @Test func allFormsCompareWithTheLastElementLetThrough() {
        let expected = ["1a", "2b", "1a", "completed"]
        #expect(events(of: source.distinctUntilChanged { $0.id }) == expected)
        #expect(events(of: source.distinctUntilChanged(at: \.id)) == expected)
        #expect(events(of: source.distinctUntilChanged { $0.id == $1.id }) == expected)
        #expect(events(of: source.distinctUntilChanged({ $0.id }, comparer: { $0 == $1 })) == expected)
        let growing = sequence(1, 2, 3, 4).distinctUntilChanged { $1 - $0 < 2 }
        #expect(events(of: growing) == ["1", "3", "completed"])
    }

    @Test func errorPasses() {
        #expect(events(of: sequence(1, error: .expected).distinctUntilChanged()) == ["1", "error(expected)"])
    }

    @Test func whatAClosureThrowsIsTheError() {
        let comparer: @Sendable (Int, Int) throws -> Bool = { _, _ in throw Failure.expected }
        #expect(events(of: sequence(1, 2).distinctUntilChanged(comparer)) == ["1", "error(expected)"])
        #expect(
            events(of: sequence(1, 2).distinctUntilChanged({ $0 }, comparer: comparer)) == [
                "1", "error(expected)",
            ])
        let selector: @Sendable (Int) throws -> Int = { _ in throw Failure.other }
        #expect(events(of: sequence(1, 2).distinctUntilChanged(selector)) == ["error(other)"])
    }

    @Test func nothingFollowsADisposeInAClosure() {
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

    @Test func keysAreReleasedAtTheEnd() {
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
