// SPDX-License-Identifier: Apache-2.0

import CSimulator
import RxIOUring
import RxSwift

/// A subscription, and what came of it.
///
/// One thread of a simulation runs at a time, and threads change only where the library uses atomics or locks, or the observer asks for that.
final class Watched: @unchecked Sendable {
    let name: String
    /// The loop that emits.
    let loop: Int
    /// True if it has to end without the end of a loop.
    let mustEnd: Bool
    private var subscription: (any Disposable)?
    private(set) var isDisposed = false
    private(set) var ends = 0
    private(set) var fault: String?
    /// True once it was disposed of on the thread that emits: nothing may come any more.
    private var isSilent = false
    private var isInside = false

    /// True if nothing more is to come.
    var isOver: Bool { ends > 0 || isDisposed }

    init(_ name: String, loop: Int, mustEnd: Bool) {
        self.name = name
        self.loop = loop
        self.mustEnd = mustEnd
    }

    /// Subscribes, and passes on each event.
    func observe<Element>(_ source: Observable<Element>, _ onEvent: @escaping (Event<Element>) -> Void) {
        subscription = source.subscribe { event in
            switch event {
            case .next: self.note("an element")
            case .error(let error):
                self.note("an error")
                self.ends += 1
                self.check(error)
            case .completed:
                self.note("a completion")
                self.ends += 1
            }
            onEvent(event)
        }
        if isDisposed { subscription?.dispose() }
    }

    func dispose(isOnLoop: Bool) {
        isDisposed = true
        subscription?.dispose()
        if isOnLoop, subscription != nil { isSilent = true }
    }

    private func note(_ event: String) {
        if isInside { see("\(event) within another event") }
        if ends > 0 { see("\(event) behind the end") }
        if isSilent { see("\(event) behind the dispose") }
        isInside = true
        rx_sim_point()
        isInside = false
    }

    private func check(_ error: any Error) {
        if error is Failed { return }
        guard let error = error as? IOError else { return see("an error of another kind: \(error)") }
        if error.code <= 0 || error.operation.isEmpty { see("an error without a reason: \(error)") }
    }

    private func see(_ text: String) { fault = fault ?? "\(name): \(text)" }

    /// The error of a source that fails.
    struct Failed: Error {}
}
