import RxPrimitives
import RxSwift

/// Writes down as text what a sequence sends, in the order in which it comes: `1`, `completed`, `error(expected)`.
///
/// From any thread. Notices when calls overlap or nest.
package final class EventLog: @unchecked Sendable {
    private let lock = Mutex()
    /// Under the lock.
    private var written: [String] = []
    private let inside = AtomicWord(0)
    private let overlaps = AtomicWord(0)
    private let subscription = SingleAssignmentDisposable()

    package var lines: [String] { lock.withLock { written } }
    /// The lines in one.
    package var text: String { lines.joined(separator: " ") }
    package var hasOverlapped: Bool { overlaps.loadAcquiring() != 0 }

    package init() {}

    /// A log of a sequence, which is subscribed to until the log is disposed of. Does not keep itself alive.
    package init<Element>(_ source: Observable<Element>) { follow(source) }

    /// - Parameter build: is handed a closure that disposes of the subscription to what it makes.
    package init<Element>(_ build: (@escaping @Sendable () -> Void) -> Observable<Element>) {
        follow(build { [unowned self] in subscription.dispose() })
    }

    private func follow<Element>(_ source: Observable<Element>) {
        subscription.setDisposable(source.subscribe { [unowned self] event in receive(event, "") { _ in } })
    }

    package func dispose() { subscription.dispose() }

    /// Subscribes to a sequence.
    ///
    /// - Parameters:
    ///   - name: put in front of each event.
    ///   - body: runs inside the observer, after the event was written down.
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
        // In full, to tell an element that is an event from that event.
        case .next(let element as any EventConvertible): "next(\(element))"
        case .next(let element): "\(element)"
        case .error(RxError.disposed): "error(disposed)"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// The events that a synchronous sequence sends.
package func events<Element>(of source: Observable<Element>) -> [String] {
    let log = EventLog(source)
    defer { log.dispose() }
    return log.lines
}

/// The same in one line.
package func text<Element>(of source: Observable<Element>) -> String {
    events(of: source).joined(separator: " ")
}
