import RxSwift

enum Failure: Error {
    case expected, other
}

/// The events that a sequence sends while and after it is subscribed to, as text.
final class EventLog {
    private(set) var events: [String] = []
    private let subscription = SingleAssignmentDisposable()

    init<Element>(_ source: Observable<Element>) {
        subscription.setDisposable(source.subscribe { [unowned self] event in events.append("\(event)") })
    }

    /// - Parameter build: is handed a closure that disposes of the subscription to what it makes.
    init<Element>(_ build: (@escaping @Sendable () -> Void) -> Observable<Element>) {
        let source = build { [unowned self] in subscription.dispose() }
        subscription.setDisposable(source.subscribe { [unowned self] event in events.append("\(event)") })
    }

    func dispose() { subscription.dispose() }

    func note(_ line: String) { events.append(line) }
}

/// The events that a synchronous sequence sends.
func events<Element>(of source: Observable<Element>) -> [String] {
    EventLog(source).events
}

/// Elements followed by `completed`, or by an error.
func sequence<Element>(_ elements: Element..., error: Failure? = nil) -> Observable<Element> {
    .create { observer in
        elements.forEach(observer.onNext)
        if let error { observer.onError(error) } else { observer.onCompleted() }
        return Disposables.create()
    }
}
