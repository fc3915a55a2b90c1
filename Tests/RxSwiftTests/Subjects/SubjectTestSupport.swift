import Foundation
import RxPrimitives
import RxSwift

struct SubjectFailure: Error, Equatable {
    let code: Int
}

/// What an observer was called with, as text. For one thread at a time; notices when calls overlap or nest.
final class SubjectLog: @unchecked Sendable {
    private(set) var lines: [String] = []
    private let isBusy = AtomicWord(0)
    private let overlaps = AtomicWord(0)

    var hasOverlapped: Bool { overlaps.loadRelaxed() != 0 }

    func add(_ line: String) { lines.append(line) }

    func observe<Element>(
        _ source: Observable<Element>, _ name: String = "", then body: @escaping (Event<Element>) -> Void = { _ in }
    ) -> any Disposable {
        source.subscribe { event in
            if self.isBusy.exchange(1) != 0 { _ = self.overlaps.fetchAdd(1) }
            self.lines.append(name + Self.text(event))
            body(event)
            _ = self.isBusy.exchange(0)
        }
    }

    static func text<Element>(_ event: Event<Element>) -> String {
        switch event {
        case .next(let element): return "\(element)"
        case .completed: return "completed"
        case .error(let error as SubjectFailure): return "error \(error.code)"
        case .error(RxError.disposed): return "disposed"
        case .error: return "error"
        }
    }
}

/// Runs bodies on threads of their own, which start at the same time: a thread that is merely woken comes too late to race.
func race(_ bodies: (@Sendable () -> Void)...) {
    let arrival = Arrival(expected: bodies.count)
    let group = DispatchGroup()
    for body in bodies {
        group.enter()
        Thread {
            arrival.meet()
            body()
            group.leave()
        }.start()
    }
    group.wait()
}

private final class Arrival: @unchecked Sendable {
    private let arrived = AtomicWord(0)
    private let expected: Int

    init(expected: Int) { self.expected = expected }

    func meet() {
        _ = arrived.fetchAdd(1)
        while arrived.loadAcquiring() < expected {}
    }
}

/// An object whose release can be watched.
final class ReleaseToken: Equatable, CustomStringConvertible, @unchecked Sendable {
    let number: Int
    private let onRelease: () -> Void

    init(_ number: Int = 0, onRelease: @escaping () -> Void = {}) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    var description: String { "\(number)" }
    static func == (left: ReleaseToken, right: ReleaseToken) -> Bool { left === right }
}
