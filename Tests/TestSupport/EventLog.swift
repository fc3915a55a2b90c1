// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Records the events of a sequence as text, in the order of their arrival: `1`, `completed`, `error(expected)`.
///
/// Takes events from any thread, and notices calls that overlap or nest.
package final class EventLog: @unchecked Sendable {
    private let lock = Mutex()
    /// Under the lock.
    private var written: [String] = []
    private let inside = AtomicWord(0)
    private let overlaps = AtomicWord(0)
    private let subscription = SingleAssignmentDisposable()

    package var lines: [String] { lock.withLock { written } }
    /// The lines in one string, separated by spaces.
    package var text: String { lines.joined(separator: " ") }
    package var hasOverlapped: Bool { overlaps.loadAcquiring() != 0 }

    package init() {}

    /// A log that subscribes to a sequence until `dispose()`. The subscription does not keep the log alive.
    package init<Element>(_ source: Observable<Element>) { follow(source) }

    /// - Parameter build: makes the sequence, and gets a closure that disposes of the subscription to it.
    package init<Element>(_ build: (@escaping @Sendable () -> Void) -> Observable<Element>) {
        follow(build { [unowned self] in subscription.dispose() })
    }

    private func follow<Element>(_ source: Observable<Element>) {
        subscription.setDisposable(source.subscribe { [weak self] event in self?.receive(event, "") { _ in } })
    }

    package func dispose() { subscription.dispose() }

    /// Subscribes to a sequence.
    ///
    /// - Parameters:
    ///   - name: stands in front of each event.
    ///   - body: runs inside the observer, after the event is recorded.
    package func observe<Element>(
        _ source: Observable<Element>, _ name: String = "", then body: @escaping (Event<Element>) -> Void = { _ in }
    ) -> any Disposable {
        source.subscribe { self.receive($0, name, body) }
    }

    private func receive<Element>(_ event: Event<Element>, _ name: String, _ body: (Event<Element>) -> Void) {
        if inside.fetchAdd(1) != 0 { _ = overlaps.fetchAdd(1) }
        note(name + Self.text(event))
        body(event)
        _ = inside.fetchAdd(0 &- 1)
    }

    package func note(_ line: String) { lock.withLock { written.append(line) } }

    package func clear() { lock.withLock { written = [] } }

    private static func text<Element>(_ event: Event<Element>) -> String {
        switch event {
        // In full, to distinguish an element that is an event from that event.
        case .next(let element as any EventConvertible): "next(\(element))"
        case .next(let element): "\(element)"
        case .error(RxError.disposed): "error(disposed)"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// The events of a synchronous sequence.
package func events<Element>(of source: Observable<Element>) -> [String] {
    let log = EventLog(source)
    defer { log.dispose() }
    return log.lines
}

/// The events of a synchronous sequence in one string, separated by spaces.
package func text<Element>(of source: Observable<Element>) -> String {
    events(of: source).joined(separator: " ")
}
