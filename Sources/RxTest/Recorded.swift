// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// A value, and the time on a test scheduler's clock at which it was seen.
public struct Recorded<Value> {
    /// The time at which the value was seen.
    public let time: TestTime

    /// The value that was seen at `time`.
    public let value: Value

    /// Creates a recording of a value.
    ///
    /// - Parameters:
    ///   - time: the time of the value, on the test scheduler's clock.
    ///   - value: the value that was seen.
    public init(time: TestTime, value: Value) {
        self.time = time
        self.value = value
    }
}

extension Recorded: Sendable where Value: Sendable {}

extension Recorded: Equatable where Value: Equatable {
    /// Tells whether both the times and the values are equal.
    public static func == (lhs: Recorded<Value>, rhs: Recorded<Value>) -> Bool {
        lhs.time == rhs.time && lhs.value == rhs.value
    }
}

extension Recorded: CustomDebugStringConvertible {
    /// Describes the value and its time: `value @ time`.
    public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
    /// A `next` event at a time.
    ///
    /// - Parameters:
    ///   - time: the time of the event.
    ///   - element: the element of the event.
    public static func next<T>(_ time: TestTime, _ element: T) -> Recorded<Event<T>> where Value == Event<T> {
        Recorded(time: time, value: .next(element))
    }

    /// A `completed` event at a time.
    ///
    /// - Parameters:
    ///   - time: the time of the event.
    ///   - type: the type of the sequence's elements, where it can't be inferred.
    public static func completed<T>(
        _ time: TestTime, _ type: T.Type = T.self
    ) -> Recorded<Event<T>> where Value == Event<T> {
        Recorded(time: time, value: .completed)
    }

    /// An `error` event at a time.
    ///
    /// - Parameters:
    ///   - time: the time of the event.
    ///   - error: the error of the event.
    ///   - type: the type of the sequence's elements, where it can't be inferred.
    public static func error<T>(
        _ time: TestTime, _ error: any Error, _ type: T.Type = T.self
    ) -> Recorded<Event<T>> where Value == Event<T> {
        Recorded(time: time, value: .error(error))
    }

    /// A list of events, whose type is inferred as a whole.
    ///
    /// - Parameter recordedEvents: the events of the list.
    public static func events<T>(_ recordedEvents: Recorded<Event<T>>...) -> [Recorded<Event<T>>]
    where Value == Event<T> {
        recordedEvents
    }

    /// A list of events, whose type is inferred as a whole.
    ///
    /// - Parameter recordedEvents: the events of the list.
    public static func events<T>(_ recordedEvents: [Recorded<Event<T>>]) -> [Recorded<Event<T>>]
    where Value == Event<T> {
        recordedEvents
    }
}
