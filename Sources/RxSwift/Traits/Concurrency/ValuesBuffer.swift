// SPDX-License-Identifier: Apache-2.0

/// The elements that wait for a task, and the sources that wait because there are many.
///
/// With the policy `.suspend` sources pause at its bound, or while 1 MiB of what the elements weigh waits, until half of that is left. The
/// owner protects it by a lock, releases outside the lock what comes out of it, and calls `releaseElements` in its deinit. As of
/// `ElementRing`, the methods are generic and the structure is not.
struct ValuesBuffer: ~Copyable {
    let policy: OverflowPolicy
    private var ring = ElementRing()
    /// The weight of the elements that wait, in bytes. Not kept by policies that drop.
    private var weight = 0
    private var waiting = WaitingSources()

    private static var greatestWeight: Int { 1 << 20 }

    init(_ policy: OverflowPolicy) { self.policy = policy }

    var isEmpty: Bool { ring.isEmpty }

    var count: Int { ring.count }

    /// True if the oldest element has to make room for one that comes.
    var mustDrop: Bool { ring.count >= policy.bound && policy.overflow != .suspend }

    mutating func append<Element>(_ element: Element, weight: Int) {
        self.weight += weight
        ring.append(element)
    }

    /// Moves the oldest element of a buffer that is not empty to memory that is not initialized. The owner calls `removed` next.
    mutating func popFirst<Element>(into place: UnsafeMutablePointer<Element>) { ring.popFirst(into: place) }

    /// Takes the oldest element of a buffer that is not empty. The owner calls `removed` next, but not for one that is dropped.
    mutating func popFirst<Element>(_: Element.Type) -> Element { ring.popFirst(Element.self) }

    /// Subtracts the weight of an element that was taken.
    ///
    /// - Returns: the sources to be resumed if there are few elements now.
    mutating func removed(weight removed: Int) -> WaitingSources.Removed? {
        weight -= removed
        return waiting.isEmpty || isFull ? nil : waiting.takeAll()
    }

    /// Pauses a source if there are many elements.
    ///
    /// - Returns: nil if the source continues.
    mutating func pause(_ source: any PausableSource) -> WaitingSources.Inspected? {
        isFull ? waiting.add(source) : nil
    }

    /// True if sources wait.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Takes the sources that wait, at the end.
    mutating func takeSources() -> WaitingSources.Removed { waiting.takeAll() }

    /// Takes the elements, for the owner to release.
    mutating func takeElements() -> ElementRing {
        weight = 0
        return ring.takeAll()
    }

    /// Releases the elements in the deinit of the owner.
    func releaseElements<Element>(_: Element.Type) { ring.release(Element.self) }

    private var isFull: Bool {
        if !policy.isBounding { return false }
        return policy.mustPause(count: ring.count, isAwaited: isAwaited)
            || weight >= (isAwaited ? ValuesBuffer.greatestWeight / 2 + 1 : ValuesBuffer.greatestWeight)
    }
}
