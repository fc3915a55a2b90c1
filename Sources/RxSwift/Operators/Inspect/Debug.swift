// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ObservableType {
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
    ) -> Observable<Element> {
        let place = "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
        return Debug(source: asObservable(), identifier: identifier ?? place, trimOutput: trimOutput) { print($0) }
    }
}

package final class Debug<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>
    fileprivate let identifier: String
    fileprivate let trimOutput: Bool
    private let write: (String) -> Void

    /// - Parameter write: receives each line.
    package init(
        source: Observable<Element>, identifier: String, trimOutput: Bool, write: @escaping (String) -> Void
    ) {
        self.source = source
        self.identifier = identifier
        self.trimOutput = trimOutput
        self.write = write
        super.init()
    }

    package override func subscribeCore(_ downstream: Sink<Element>) {
        log("subscribed")
        let sink = DebugSink(observable: self, downstream: downstream)
        sink.linkToDownstream()
        source.subscribeCore(sink)
    }

    fileprivate func log(_ content: String) {
        write("\(localTimestamp()): \(identifier) -> \(content)")
    }
}

final class DebugSink<Element>: LifecycleSink<Element, Element> {
    private let observable: Debug<Element>

    init(observable: Debug<Element>, downstream: Sink<Element>) {
        self.observable = observable
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        if isCancelled { return }
        log(.next(element))
        downstream.next(element)
    }

    override func error(_ error: any Swift.Error) {
        if isCancelled { return }
        log(.error(error))
        super.error(error)
    }

    override func completed() {
        if isCancelled { return }
        log(.completed)
        super.completed()
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        observable.log("isDisposed")
        upstream.take()?.cancel()
    }

    private func log(_ event: Event<Element>) {
        let text = "\(event)"
        let isTooLong = observable.trimOutput && text.count > 40
        observable.log("Event " + (isTooLong ? "\(text.prefix(20))...\(text.suffix(20))" : text))
    }
}

/// The time of day in the form `2024-01-31 12:00:00.000`.
private func localTimestamp() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var local = tm()
    localtime_r(&now.tv_sec, &local)
    func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = [
        padded(Int(local.tm_year) + 1900, to: 4), padded(Int(local.tm_mon) + 1, to: 2),
        padded(Int(local.tm_mday), to: 2),
    ]
    let time = [Int(local.tm_hour), Int(local.tm_min), Int(local.tm_sec)].map { padded($0, to: 2) }
    let milliseconds = padded(Int(now.tv_nsec) / 1_000_000, to: 3)
    return "\(date.joined(separator: "-")) \(time.joined(separator: ":")).\(milliseconds)"
}
