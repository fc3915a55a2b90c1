// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequence {
    /// Prints what happens to each subscription: `subscribed`, each event, `isDisposed`.
    ///
    /// A line reads `2024-01-31 12:00:00.000: identifier -> Event next(1)`, in local time, on standard output.
    /// - Parameters:
    ///   - identifier: stands in each line; by default file, line and function of the call.
    ///   - trimOutput: whether descriptions of events longer than 40 characters are shortened to the first and last 20.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function of the call.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}
