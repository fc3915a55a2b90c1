// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The bound of a buffer, and the policy for elements beyond it.
package struct OverflowPolicy {
    let overflow: BackpressureOverflow
    /// The number of elements that may wait; at least 1.
    let bound: Int
    /// The name of the operator, for diagnostics.
    let operatorName: StaticString

    /// Stops the program if `buffer` is not positive, unless the policy does not use it.
    package init(_ overflow: BackpressureOverflow, buffer: Int, operatorName: StaticString) {
        if buffer <= 0, overflow != .latest { fatalError("\(operatorName): buffer must be positive, is \(buffer)") }
        self.overflow = overflow
        self.bound = overflow == .latest ? 1 : buffer
        self.operatorName = operatorName
    }

    /// True if sources pause at the bound.
    var isBounding: Bool { overflow == .suspend && bound < .max }

    /// True if sources have to pause that can, while that many elements wait.
    ///
    /// - Parameter isAwaited: whether sources wait already.
    func mustPause(count: Int, isAwaited: Bool) -> Bool {
        overflow == .suspend && count >= (isAwaited ? lowWatermark + 1 : bound)
    }

    /// The number of elements at which the sources that were paused at the bound are resumed.
    var lowWatermark: Int { bound / 2 }
}

/// A first-in, first-out buffer with a bound. Its owner protects it by a lock, and releases removed elements outside the lock.
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
    private var ring = ElementRing()

    init(_ policy: OverflowPolicy) { self.policy = policy }

    deinit { ring.release(Element.self) }

    var count: Int { ring.count }

    var isEmpty: Bool { ring.isEmpty }

    /// True if sources have to pause that can.
    ///
    /// - Parameter isAwaited: whether sources wait already.
    func mustPause(isAwaited: Bool) -> Bool { policy.mustPause(count: count, isAwaited: isAwaited) }

    /// Offers an element. O(1), amortized while the buffer grows up to its bound.
    mutating func offer(_ element: Element) -> Outcome {
        if count < policy.bound || policy.overflow == .suspend {
            ring.append(element)
            return .kept
        }
        switch policy.overflow {
        case .dropNewest: return .droppedNewest(element)
        case .error: return .overflowed(element)
        case .dropOldest, .latest, .suspend:
            let dropped = popFirst()
            ring.append(element)
            return .droppedOldest(dropped)
        }
    }

    /// Takes the oldest element of a buffer that is not empty.
    mutating func popFirst() -> Element { ring.popFirst(Element.self) }

    /// Takes all elements, for the caller to release.
    mutating func takeAll() -> OverflowBuffer {
        var taken = OverflowBuffer(policy)
        swap(&taken, &self)
        return taken
    }
}
