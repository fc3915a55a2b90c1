import RxPrimitives

/// The bound of a buffer, and the policy for elements beyond it.
package struct OverflowPolicy {
    let overflow: BackpressureOverflow
    /// The number of elements that may wait; at least 1.
    let bound: Int
    /// The name of the operator, for diagnostics.
    let operatorName: StaticString

    /// Stops the program if `buffer` is not positive.
    package init(_ overflow: BackpressureOverflow, buffer: Int, operatorName: StaticString) {
        if buffer <= 0 { fatalError("\(operatorName): buffer must be positive, is \(buffer)") }
        self.overflow = overflow
        self.bound = overflow == .latest ? 1 : buffer
        self.operatorName = operatorName
    }

    /// True if sources pause at the bound.
    var isBounding: Bool { overflow == .suspend && bound < .max }

    /// The number of elements at which sources go on that were paused at the bound.
    var lowWatermark: Int { bound / 2 }
}

/// A first-in, first-out buffer with a bound. Its owner protects it by a lock, and releases what comes out of it outside the lock.
package struct OverflowBuffer<Element>: ~Copyable {
    /// The fate of an element that was offered.
    enum Outcome {
        case kept
        /// The element was kept, in place of the oldest one.
        case droppedOldest(Element)
        case droppedNewest(Element)
        /// The element was not kept, and ends the sequence.
        case overflowed(Element)
    }

    let policy: OverflowPolicy
    private(set) var count = 0
    private var capacity = 0
    private var oldest = 0
    private var storage: UnsafeMutablePointer<Element>?

    init(_ policy: OverflowPolicy) { self.policy = policy }

    var isEmpty: Bool { count == 0 }

    /// True if sources have to pause that can.
    ///
    /// - Parameter isAwaited: whether sources wait already.
    func mustPause(isAwaited: Bool) -> Bool {
        policy.overflow == .suspend && count >= (isAwaited ? policy.lowWatermark + 1 : policy.bound)
    }

    /// Offers an element. O(1), amortized while the buffer grows up to its bound.
    mutating func offer(_ element: Element) -> Outcome {
        if count < policy.bound || policy.overflow == .suspend {
            append(element)
            return .kept
        }
        switch policy.overflow {
        case .dropNewest: return .droppedNewest(element)
        case .error: return .overflowed(element)
        case .dropOldest, .latest, .suspend:
            let dropped = popFirst()
            append(element)
            return .droppedOldest(dropped)
        }
    }

    /// Takes the oldest element of a buffer that is not empty.
    mutating func popFirst() -> Element {
        let element = (storage! + oldest).move()
        oldest = oldest + 1 == capacity ? 0 : oldest + 1
        count -= 1
        return element
    }

    /// Takes all elements, for the caller to release.
    mutating func takeAll() -> OverflowBuffer {
        var taken = OverflowBuffer(policy)
        swap(&taken, &self)
        return taken
    }

    private mutating func append(_ element: Element) {
        if count == capacity { grow() }
        let place = oldest + count
        (storage! + (place < capacity ? place : place - capacity)).initialize(to: element)
        count += 1
    }

    private mutating func grow() {
        let larger = max(16, 2 * capacity)
        let room = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let storage {
            let front = min(count, capacity - oldest)
            room.moveInitialize(from: storage + oldest, count: front)
            (room + front).moveInitialize(from: storage, count: count - front)
            storage.deallocate()
        }
        (storage, capacity, oldest) = (room, larger, 0)
    }

    deinit {
        guard let storage else { return }
        let front = min(count, capacity - oldest)
        (storage + oldest).deinitialize(count: front)
        storage.deinitialize(count: count - front)
        storage.deallocate()
    }
}
