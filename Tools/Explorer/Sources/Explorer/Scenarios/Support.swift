// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxPrimitives
import RxSwift

/// A word that only one thread at a time may touch: two accesses that nothing orders fail the scenario.
final class Cell {
    private let word: NonAtomicWord

    init(_ value: Int = 0) { word = NonAtomicWord(UInt(bitPattern: value)) }

    var value: Int {
        get { Int(bitPattern: word.load()) }
        set { word.store(UInt(bitPattern: newValue)) }
    }
}

/// An element that its maker has written, and that its receiver reads.
final class Element {
    private let cell: Cell

    init(_ number: Int) { cell = Cell(number) }

    var number: Int { cell.value }
}

/// What one observer receives. Calls that overlap, or that nothing orders, fail the scenario; so do a lock that is held, and events behind the end.
final class Log {
    private(set) var numbers: [Int] = []
    private(set) var ends = 0
    private(set) var hasFailed = false
    private var isInside = false
    private let order = Cell()

    func next(_ number: Int) {
        enter()
        require(ends == 0, "an element comes behind the end: \(number)")
        numbers.append(number)
        isInside = false
    }

    func end(failed: Bool = false) {
        enter()
        hasFailed = failed
        require(ends == 0, "a sequence ends twice")
        ends += 1
        isInside = false
    }

    private func enter() {
        requireNoLock()
        require(!isInside, "calls of one observer overlap")
        isInside = true
        order.value += 1
    }

    /// Subscribes to a sequence.
    func observe(_ source: Observable<Element>) -> any Disposable {
        source.subscribe(
            onNext: { self.next($0.number) }, onError: { _ in self.end(failed: true) }, onCompleted: { self.end() })
    }
}

/// Counts, from any thread, without being a point where threads are switched or anything that orders them.
final class Count {
    private let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init() { pointer.initialize(to: 0) }

    deinit { pointer.deallocate() }

    var value: Int { rx_explorer_read(pointer) }

    func add(_ change: Int = 1) { rx_explorer_add(pointer, change) }
}

/// A disposable that fails the scenario when it is disposed of twice or under a lock.
final class Resource: Disposable {
    let disposals = Count()
    private let cell = Cell(7)

    func dispose() {
        requireNoLock()
        require(cell.value == 7, "a disposable is disposed of before it was made")
        disposals.add()
        require(disposals.value == 1, "a disposable is disposed of twice")
    }

    var isDisposed: Bool { disposals.value == 1 }
}

enum Expected: Error { case failure }

/// Whether the elements of `part` stand in `whole` in their order.
func isInOrder(_ part: [Int], in whole: [Int]) -> Bool { whole.filter(part.contains) == part }
