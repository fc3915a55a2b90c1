import Foundation
import RxPrimitives
import RxSwift

/// An error of the tests, told from others by its number.
struct SourceFailure: Error, Equatable {
    let number: Int

    init(_ number: Int = 0) { self.number = number }
}

/// Writes down the events of one subscription as text.
final class SuccessionLog: @unchecked Sendable {
    private let lock = Lock()
    private var lines: [String] = []

    var text: String { lock.withLock { lines.joined(separator: " ") } }

    func write(_ line: String) { lock.withLock { lines.append(line) } }

    /// Returns the log's observer for a sequence: `1 2 completed`, or `1 error(3)`.
    func record<Element>(_ source: Observable<Element>) -> any Disposable {
        source.subscribe { (event: Event<Element>) in
            switch event {
            case .next(let element): self.write("\(element)")
            case .error(let error as SourceFailure): self.write("error(\(error.number))")
            case .error(let error): self.write("error(\(error))")
            case .completed: self.write("completed")
            }
        }
    }

    /// The events of a sequence that ends while it is being subscribed to.
    static func of<Element>(_ source: Observable<Element>) -> String {
        let log = SuccessionLog()
        log.record(source).dispose()
        return log.text
    }
}

/// A sequence that sends some elements and then an error, all within its subscription.
func failing(_ elements: Int..., with number: Int = 0) -> Observable<Int> {
    .create { observer in
        for element in elements { observer.onNext(element) }
        observer.onError(SourceFailure(number))
        return Disposables.create()
    }
}

/// A sequence that sends some elements and completes, all within its subscription.
func sending(_ elements: Int...) -> Observable<Int> {
    .create { observer in
        for element in elements { observer.onNext(element) }
        observer.onCompleted()
        return Disposables.create()
    }
}

/// Makes the sequence at each subscription.
func made<Element>(_ make: @escaping @Sendable () -> Observable<Element>) -> Observable<Element> {
    .create { observer in make().subscribe(observer) }
}

/// Runs `body` on a thread with a stack of 8 MiB, and waits for it.
func onBoundedStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
}

/// Runs `rounds` rounds, in each of which the bodies start together on threads of their own.
///
/// `prepare` makes what the bodies of one round work on; `check` runs when they are through.
func raceRounds<Subject>(
    _ rounds: Int, prepare: @escaping () -> Subject, _ first: @escaping (Subject) -> Void,
    _ second: @escaping (Subject) -> Void, check: (Subject) -> Void
) {
    let turn = AtomicWord(0)
    let finished = AtomicWord(0)
    nonisolated(unsafe) var subject = prepare()
    nonisolated(unsafe) let bodies = [first, second]
    let group = DispatchGroup()
    for index in bodies.indices {
        group.enter()
        Thread.detachNewThread {
            for round in 1...UInt(rounds) {
                while turn.loadAcquiring() < round { sched_yield() }
                bodies[index](subject)
                _ = finished.fetchAdd(1)
            }
            group.leave()
        }
    }
    for round in 1...UInt(rounds) {
        turn.storeReleasing(round)
        while finished.loadAcquiring() < 2 * round { sched_yield() }
        check(subject)
        if round < rounds { subject = prepare() }
    }
    group.wait()
}

/// How deep recursion through operators is tested: the law is about optimized code, whose frames are a fraction of the others.
#if DEBUG
    let recursionDepth = 500
#else
    let recursionDepth = 5_000
#endif

/// Something to hold on to weakly.
final class SuccessionToken {}
