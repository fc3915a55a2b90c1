// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import Testing

// Diagrams that stand one below the other, in which equal columns are equal times:
//
//     source: "1----^2--3-----4|"    a hot sequence of digits; `^` is tick 200, when the result is subscribed to
//     result: "     ^--------34|"    the expected events; `#` is the error in all diagrams
//     active: "     ^----------!"    the expected subscription to the source: from the column of `^` to that of `!`
//
// `Marbles.swift` in RxTest describes the other characters.

/// Expects the events that an operator makes of a hot source in virtual time.
///
/// - Parameters:
///   - source: the events of the source.
///   - result: the expected events.
///   - active: the expected subscription to the source; empty if there is none. Without it, any.
///   - isCold: whether the source is cold; then its `^` is the column of the subscription.
///   - ticks: the time from one column to the next.
///   - error: the error that `#` stands for.
///   - disposed: the time at which the subscription is disposed of.
///   - build: gets the source and the scheduler.
package func expectMarbles<Output: Equatable & LosslessStringConvertible>(
    source: String, result: String, active: String? = nil, isCold: Bool = false, ticks: Int = 10,
    error: any Error = Failure.expected, disposed: TestTime = 1000, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Int>, TestScheduler) -> Observable<Output>
) throws {
    let picture = MarblePicture(result, ticks: ticks, error: error, disposed: disposed, sourceLocation: sourceLocation)
    let source = try picture.sequence(source, isCold: isCold)
    try picture.expect(digits) { build(source.asObservable(), $0) }
    picture.expect(source, active)
}

/// Expects the events that an operator makes of a hot source in virtual time.
///
/// - Parameter values: the elements of the result that characters stand for.
package func expectMarbles<Output: Equatable>(
    source: String, result: String, active: String? = nil, values: [Character: Output], ticks: Int = 10,
    error: any Error = Failure.expected, disposed: TestTime = 1000, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Int>, TestScheduler) -> Observable<Output>
) throws {
    let picture = MarblePicture(result, ticks: ticks, error: error, disposed: disposed, sourceLocation: sourceLocation)
    let source = try picture.sequence(source, isCold: false)
    try picture.expect({ values[$0] }, of: { build(source.asObservable(), $0) })
    picture.expect(source, active)
}

/// Expects the events that an operator makes of a hot source and a second sequence in virtual time.
///
/// - Parameters:
///   - isCold: whether the second sequence is cold; then its `^` is the column of the subscription.
///   - during: the expected subscription to the second sequence.
package func expectMarbles<Output: Equatable & LosslessStringConvertible>(
    source: String, active: String? = nil, second: String, during: String? = nil, result: String, isCold: Bool = false,
    ticks: Int = 10, error: any Error = Failure.expected, disposed: TestTime = 1000,
    sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (Observable<Int>, Observable<Int>, TestScheduler) -> Observable<Output>
) throws {
    let picture = MarblePicture(result, ticks: ticks, error: error, disposed: disposed, sourceLocation: sourceLocation)
    let source = try picture.sequence(source, isCold: false)
    let second = try picture.sequence(second, isCold: isCold)
    try picture.expect(digits) { build(source.asObservable(), second.asObservable(), $0) }
    picture.expect(source, active)
    picture.expect(second, during)
}

/// Expects the events of a sequence that has no source, in virtual time.
package func expectMarbles<Output: Equatable & LosslessStringConvertible>(
    result: String, ticks: Int = 10, disposed: TestTime = 1000, sourceLocation: SourceLocation = #_sourceLocation,
    of build: @escaping (TestScheduler) -> Observable<Output>
) throws {
    let picture = MarblePicture(
        result, ticks: ticks, error: Failure.expected, disposed: disposed, sourceLocation: sourceLocation)
    try picture.expect(digits, of: build)
}

private func digits<Element: LosslessStringConvertible>(_ character: Character) -> Element? {
    Element(String(character))
}

/// The columns and the scheduler that the diagrams of a test share.
private struct MarblePicture {
    private let scheduler = TestScheduler(initialClock: 0)
    private let result: String
    private let ticks: Int
    private let error: any Error
    private let disposed: TestTime
    private let sourceLocation: SourceLocation

    init(_ result: String, ticks: Int, error: any Error, disposed: TestTime, sourceLocation: SourceLocation) {
        self.result = result
        self.ticks = ticks
        self.error = error
        self.disposed = disposed
        self.sourceLocation = sourceLocation
    }

    func sequence(_ diagram: String, isCold: Bool) throws -> TestableObservable<Int> {
        let events = try Recorded<Event<Int>>.events(
            marbles: diagram, start: isCold ? 0 : TestScheduler.Defaults.subscribed, ticksPerCharacter: ticks,
            error: error, element: digits)
        if isCold { return scheduler.createColdObservable(events) }
        #expect(
            column(of: "^", in: diagram) == column(of: "^", in: result), "the columns of ^ differ",
            sourceLocation: sourceLocation)
        return scheduler.createHotObservable(events)
    }

    func expect<Output: Equatable>(
        _ element: (Character) -> Output?, of build: @escaping (TestScheduler) -> Observable<Output>
    ) throws {
        let expected = try Recorded<Event<Output>>.events(
            marbles: result, start: TestScheduler.Defaults.subscribed, ticksPerCharacter: ticks, error: error,
            element: element)
        let events = scheduler.start(disposed: disposed) { build(scheduler) }.events
        #expect(events == expected, sourceLocation: sourceLocation)
    }

    func expect(_ source: TestableObservable<Int>, _ active: String?) {
        guard let active else { return }
        let subscription = time("^", active).map { Subscription($0, time("!", active) ?? .max) }
        let expected = subscription.map { [$0] } ?? []
        #expect(source.subscriptions == expected, sourceLocation: sourceLocation)
    }

    private func time(_ mark: Character, _ diagram: String) -> TestTime? {
        guard let end = column(of: mark, in: diagram), let zero = column(of: "^", in: result) else { return nil }
        return TestScheduler.Defaults.subscribed + (end - zero) * ticks
    }

    private func column(of mark: Character, in diagram: String) -> Int? {
        diagram.firstIndex(of: mark)?.utf16Offset(in: diagram)
    }
}
