// SPDX-License-Identifier: Apache-2.0

/// Room for one element, or none, in memory of its own.
///
/// It replaces an optional: in generic code that is not specialized, each use of an optional costs a look-up of its type metadata.
/// The owner has to know whether there is an element.
struct HeldElement<Element>: ~Copyable {
    private let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    private var isEmpty = true

    deinit {
        if !isEmpty { place.deinitialize(count: 1) }
        place.deallocate()
    }

    /// Holds an element, and releases the one before, if there was one.
    @inline(__always)
    mutating func put(_ element: Element) {
        if isEmpty {
            place.initialize(to: element)
            isEmpty = false
        } else {
            // The old element is released after the new one is in place, as its deinit may run any code.
            let old = place.move()
            place.initialize(to: element)
            withExtendedLifetime(old) {}
        }
    }

    /// Takes out the element, which has to be there.
    @inline(__always)
    mutating func take() -> Element {
        isEmpty = true
        return place.move()
    }
}
