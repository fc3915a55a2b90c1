/// A slot that keeps the latest element of its source.
class LatestSlot<Element>: ElementSlot<Element> {
    // Apart from the object, and not an optional: naming `Optional<Element>` would cost a look-up of metadata per event. Only the
    // drainer uses these two fields.
    private final let slot: UnsafeMutablePointer<Element>
    private final var isFilled = false

    override init() {
        slot = .allocate(capacity: 1)
        super.init()
    }

    deinit {
        if isFilled { slot.deinitialize(count: 1) }
        slot.deallocate()
    }

    override func accept(_ element: Element, for coordinator: Coordinator) {
        _ = replace(by: element)
    }

    override final var isEmpty: Bool { !isFilled }

    /// The latest element; there must be one.
    @inline(__always)
    final var latest: Element { slot.pointee }

    /// Removes and returns the latest element; there must be one.
    final func take() -> Element {
        isFilled = false
        return slot.move()
    }

    /// - Returns: whether there was no element before.
    @inline(__always)
    final func replace(by element: Element) -> Bool {
        if isFilled {
            slot.pointee = element
            return false
        }
        slot.initialize(to: element)
        isFilled = true
        return true
    }

    override final func removeAll() {
        if isFilled { _ = take() }
    }
}
