// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// All elements in an array, which is sent when the sequence completes.
    ///
    /// - SeeAlso: [To](https://reactivex.io/documentation/operators/to.html)
    // Not inlinable, and no `reduce`: the compiler (Swift 6.3) miscompiles a specialized closure that appends elements which are or
    // contain metatypes.
    public func toArray() -> Single<[Element]> { PrimitiveSequence(raw: ToArray(source: asObservable())) }
}

final class ToArray<Element>: Observable<[Element]>, @unchecked Sendable {
    private let source: Observable<Element>

    init(source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<[Element]>) {
        source.subscribeCore(ToArraySink(downstream: downstream))
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }
}

/// Gathers elements in memory of its own: generic code appends to that in two thirds of the time that an array takes.
final class ToArraySink<Element>: LinearSink<Element, [Element]> {
    @exclusivity(unchecked) private var elements: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var capacity = 8

    override init(downstream: Sink<[Element]>) {
        elements = .allocate(capacity: capacity)
        super.init(downstream: downstream)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    override func next(_ element: Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count += 1
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = larger
        capacity *= 2
    }

    override func completed() {
        if isCancelled { return }
        downstream.next(takeAll())
        if !isCancelled { downstream.completed() }
    }

    private func takeAll() -> [Element] {
        Array(unsafeUninitializedCapacity: count) { memory, initialized in
            memory.baseAddress?.moveInitialize(from: elements, count: count)
            initialized = count
            count = 0
        }
    }
}
