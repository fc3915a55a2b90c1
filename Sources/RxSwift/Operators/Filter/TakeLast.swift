// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Sends the last elements of the sequence, when it completes.
    ///
    /// - Parameter count: the number of elements, not negative. That many are kept in memory.
    /// - SeeAlso: [TakeLast](https://reactivex.io/documentation/operators/takelast.html)
    @inlinable
    public func takeLast(_ count: Int) -> Observable<Element> {
        if count < 0 { fatalError("takeLast(_:): the count must not be negative, is \(count)") }
        return LinearOperator(asObservable(), settings: count, sinkType: TakeLastSink<Element>.self)
    }
}

@usableFromInline
final class TakeLastSink<Element>: OperatorSink<Element, Element, Int> {
    private let limit: Int

    /// The kept elements, the oldest at `oldest`, the others after it and then from the start. Plain memory, so that the deinit of
    /// an element that is overwritten meets no exclusive access. Grows by doubling, up to `limit`.
    private var storage: UnsafeMutablePointer<Element>
    private var capacity: Int
    private var count = 0
    private var oldest = 0

    required init(_ limit: Int, downstream: Sink<Element>) {
        self.limit = limit
        self.capacity = min(limit, 4)
        self.storage = .allocate(capacity: min(limit, 4))
        super.init(downstream: downstream)
    }

    deinit {
        // Until the storage is full the elements lie from 0 to count, and then everywhere.
        storage.deinitialize(count: count)
        storage.deallocate()
    }

    override func next(_ element: Element) {
        if count < limit {
            if count == capacity { grow() }
            (storage + count).initialize(to: element)
            count += 1
        } else if limit > 0 {
            let slot = oldest
            oldest = slot + 1 == limit ? 0 : slot + 1
            (storage + slot).pointee = element
        }
    }

    override func completed() {
        var index = oldest
        for _ in 0..<count {
            if isCancelled { return }
            downstream.next(storage[index])
            index = index + 1 == count ? 0 : index + 1
        }
        if !isCancelled { downstream.completed() }
    }

    /// Enlarges the storage, only while nothing has been overwritten: the elements are in order from the start.
    private func grow() {
        let larger = capacity > limit / 2 ? limit : capacity * 2
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        moved.moveInitialize(from: storage, count: count)
        storage.deallocate()
        storage = moved
        capacity = larger
    }
}
