/// Room for one element, or none, in memory of its own.
///
/// In place of an optional: in generic code that is not specialized, each use of one costs a look-up of its type metadata. Whether
/// there is an element is for the owner to know.
struct HeldElement<Element>: ~Copyable {
    private let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    private var isEmpty = true

    deinit {
        if !isEmpty { place.deinitialize(count: 1) }
        place.deallocate()
    }

    /// Holds an element in place of the one before, if there was one.
    @inline(__always)
    mutating func put(_ element: Element) {
        if isEmpty {
            place.initialize(to: element)
            isEmpty = false
        } else {
            // Released when the new one is in place: its deinit may do what it likes.
            let old = place.move()
            place.initialize(to: element)
            withExtendedLifetime(old) {}
        }
    }

    /// Takes out the element, which is there.
    @inline(__always)
    mutating func take() -> Element {
        isEmpty = true
        return place.move()
    }
}
