/// The elements that wait for a task, and the sources that wait because there are many.
///
/// With the policy `.suspend` sources pause at its bound, or while 1 MiB of what the elements weigh waits, until half of that is left. The
/// owner protects it by a lock, and releases outside the lock what comes out of it.
struct ValuesBuffer<Element>: ~Copyable {
    private var elements: OverflowBuffer<Element>
    /// The weight of the elements that wait, in bytes. Not kept by policies that drop.
    private var weight = 0
    private var waiting = WaitingSources()

    private static var greatestWeight: Int { 1 << 20 }

    init(_ policy: OverflowPolicy) { elements = OverflowBuffer(policy) }

    var isEmpty: Bool { elements.isEmpty }

    var count: Int { elements.count }

    /// Adds an element. Returns the one that is dropped in its place.
    mutating func append(_ element: Element, weight: Int) -> OverflowBuffer<Element>.Outcome {
        self.weight += weight
        return elements.offer(element)
    }

    /// Takes the oldest element of a buffer that is not empty. The owner calls `removed` next.
    mutating func popFirst() -> Element { elements.popFirst() }

    /// Subtracts the weight of an element that was taken.
    ///
    /// - Returns: the sources to be resumed if there are few elements now.
    mutating func removed(weight removed: Int) -> WaitingSources.Taken? {
        weight -= removed
        return waiting.isEmpty || isFull ? nil : waiting.takeAll()
    }

    /// Pauses a source if there are many elements.
    ///
    /// - Returns: nil if the source goes on.
    mutating func pause(_ source: any PausableSource) -> WaitingSources.Inspected? {
        isFull ? waiting.add(source) : nil
    }

    /// True if sources wait.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Takes the sources that wait, at the end.
    mutating func takeSources() -> WaitingSources.Taken { waiting.takeAll() }

    /// Takes the elements, for the owner to release.
    mutating func takeElements() -> OverflowBuffer<Element> {
        weight = 0
        return elements.takeAll()
    }

    private var isFull: Bool {
        if !elements.policy.isBounding { return false }
        return elements.mustPause(isAwaited: isAwaited)
            || weight >= (isAwaited ? ValuesBuffer.greatestWeight / 2 + 1 : ValuesBuffer.greatestWeight)
    }
}
