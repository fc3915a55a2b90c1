// SPDX-License-Identifier: Apache-2.0

// The names are those of XCTest and RxSwift.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

#if canImport(XCTest)
    public import RxSwift
    internal import XCTest

    #if canImport(Testing)
        internal import Testing
    #endif

    /// Fails the test unless two lists of events are equal. Two errors count as equal when they read the same.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Event<Element>], _ rhs: [Event<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) { $0 == $1 }
    }

    /// Fails the test unless two lists of outcomes are equal. Two errors count as equal when they read the same.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) {
            switch ($0, $1) {
            case (.success(let left), .success(let right)): return left == right
            case (.failure(let left), .failure(let right)): return readsTheSame(left, right)
            default: return false
            }
        }
    }

    /// Fails the test unless two lists of outcomes are equal. Two errors count as equal when they read the same.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [MaybeEvent<Element>], _ rhs: [MaybeEvent<Element>], file: StaticString = #file, line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) { $0 == $1 }
    }

    /// Fails the test unless two lists of outcomes are equal. Two errors count as equal when they read the same.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual(
        _ lhs: [CompletableEvent], _ rhs: [CompletableEvent], file: StaticString = #file, line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) { $0 == $1 }
    }

    /// Fails the test unless two lists of recorded events are equal, their times included.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>], file: StaticString = #file,
        line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) { $0 == $1 }
    }

    /// Fails the test unless two lists of recorded events with optional elements are equal, their times included.
    ///
    /// - Parameters:
    ///   - lhs: the first of the two lists.
    ///   - rhs: the second of the two lists.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [Recorded<Event<Element?>>], _ rhs: [Recorded<Event<Element?>>], file: StaticString = #file,
        line: UInt = #line
    ) {
        assertSame(lhs, rhs, file: file, line: line) { $0 == $1 }
    }

    /// Fails the test unless a list of recorded events consists of given elements, regardless of their times.
    ///
    /// A terminal event in the list fails the test too.
    /// - Parameters:
    ///   - stream: the recorded events.
    ///   - elements: the elements expected, in order.
    ///   - file: where a failure is reported.
    ///   - line: where a failure is reported.
    public func XCTAssertRecordedElements<Element: Equatable>(
        _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #file, line: UInt = #line
    ) {
        if let terminal = stream.first(where: { $0.value.isStopEvent }) {
            fail("XCTAssertRecordedElements: there is a terminal event, \(terminal)", file: file, line: line)
        }
        assertSame(stream.compactMap { $0.value.element }, elements, file: file, line: line) { $0 == $1 }
    }

    private func assertSame<Item>(
        _ lhs: [Item], _ rhs: [Item], file: StaticString, line: UInt, isEqual: (Item, Item) -> Bool
    ) {
        if let message = difference(lhs, rhs, isEqual: isEqual) { fail(message, file: file, line: line) }
    }

    /// Reports to the framework that is running the test: `XCTFail` alone would go unheard under Swift Testing.
    private func fail(_ message: String, file: StaticString, line: UInt) {
        #if canImport(Testing)
            if Test.current != nil {
                let name = "\(file)".split(separator: "/").last.map(String.init) ?? "unknown"
                Issue.record(
                    Comment(rawValue: message),
                    sourceLocation: SourceLocation(
                        fileID: "Tests/\(name)", filePath: "\(file)", line: Int(line), column: 1))
                return
            }
        #endif
        XCTFail(message, file: file, line: line)
    }
#endif
