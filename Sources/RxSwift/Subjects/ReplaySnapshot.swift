// SPDX-License-Identifier: Apache-2.0

/// The elements that a subject remembered at one moment: copies, or a part of the chunks shared with it.
///
/// It is not generic, because code that is not specialized would look up its type at each use. Only the `ReplayCore` that
/// made it knows what it holds, and that core releases it.
struct ReplaySnapshot {
    /// The room for copied elements, and how many fit in.
    private(set) var room: UnsafeMutableRawPointer?
    private(set) var capacity = 0

    /// The chunks that are shared with the subject, oldest first: all of them, or the first of a chain.
    var chunks: ContiguousArray<ReplayChunk> = []
    var chain: AnyObject?
    /// The first element's place in the first chunk.
    var start = 0

    /// The number of elements, in `room` or in the chunks.
    var count = 0

    /// Makes room for copies, at most once.
    mutating func reserve<Element>(_ count: Int, of type: Element.Type) {
        if count == 0 { return }
        room = UnsafeMutableRawPointer(UnsafeMutablePointer<Element>.allocate(capacity: count))
        capacity = count
    }

    /// The room, once there is one.
    func copies<Element>(of type: Element.Type) -> UnsafeMutablePointer<Element> {
        room!.assumingMemoryBound(to: Element.self)
    }

    /// Appends copies of the elements at an address.
    mutating func append<Element>(_ elements: UnsafePointer<Element>, count more: Int) {
        if more == 0 { return }
        if count + more > capacity { grow(for: count + more, of: Element.self) }
        (copies(of: Element.self) + count).initialize(from: elements, count: more)
        count += more
    }

    /// Makes more room, because more is remembered than a moment before, when room was made.
    @inline(never)
    private mutating func grow<Element>(for count: Int, of type: Element.Type) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: count)
        if let room {
            larger.moveInitialize(from: room.assumingMemoryBound(to: Element.self), count: self.count)
            room.assumingMemoryBound(to: Element.self).deallocate()
        }
        room = UnsafeMutableRawPointer(larger)
        capacity = count
    }

    /// Releases the copied elements and their room.
    mutating func releaseCopies<Element>(of type: Element.Type) {
        guard let room else { return }
        let copies = room.assumingMemoryBound(to: Element.self)
        copies.deinitialize(count: count)
        copies.deallocate()
        self.room = nil
    }
}
