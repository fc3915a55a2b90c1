/// The elements that wait for a task, and the sources that wait because there are many.
///
/// Sources pause while 8,192 elements wait, or 1 MiB of what they weigh, until half of that is left. The owner protects it by a lock, and
/// releases outside the lock what comes out of it.
struct ValuesBuffer<Element>: ~Copyable {
    private var elements = OverflowBuffer<Element>(OverflowPolicy(.suspend, buffer: 8_192, operatorName: "values"))
    /// The weight of the elements that wait, in bytes.
    private var weight = 0
    private var waiting = WaitingSources()

    private static var greatestWeight: Int { 1 << 20 }

    var isEmpty: Bool { elements.isEmpty }

    mutating func append(_ element: Element, weight: Int) {
        _ = elements.offer(element)
        self.weight += weight
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

    /// Takes the sources that wait, at the end.
    mutating func takeSources() -> WaitingSources.Taken { waiting.takeAll() }

    /// Takes the elements, for the owner to release.
    mutating func takeElements() -> OverflowBuffer<Element> {
        weight = 0
        return elements.takeAll()
    }

    private var isFull: Bool {
        let isAwaited = !waiting.isEmpty
        return elements.mustPause(isAwaited: isAwaited)
            || weight >= (isAwaited ? ValuesBuffer.greatestWeight / 2 + 1 : ValuesBuffer.greatestWeight)
    }
}
