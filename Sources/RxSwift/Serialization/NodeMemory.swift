// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// Memory for the nodes that wait at a serializer: structs that begin with a `DrainNode`, some followed by an element.
///
/// A node and its element are not one generic struct: code that is not specialized would look up the metadata of that struct at each use,
/// for some 300 instructions. These functions need the metadata of the element alone, which every object of a generic class knows.
enum NodeMemory {
    /// Moves a node into memory of its own.
    @inline(__always)
    static func make<Node>(_ node: consuming Node) -> UnsafeMutablePointer<DrainNode> {
        let memory = allocate(byteCount: MemoryLayout<Node>.size, alignment: MemoryLayout<Node>.alignment)
        memory.initializeMemory(as: Node.self, to: node)
        return memory.assumingMemoryBound(to: DrainNode.self)
    }

    /// Copies an element into new memory, after a node.
    ///
    /// - Parameter node: not of a generic type, and nothing in it has to be released.
    @inline(__always)
    static func make<Node, Element>(_ node: Node, carrying element: Element) -> UnsafeMutablePointer<DrainNode> {
        let offset = offset(of: Element.self, after: Node.self)
        let memory = allocate(
            byteCount: offset + MemoryLayout<Element>.size,
            alignment: max(MemoryLayout<Node>.alignment, MemoryLayout<Element>.alignment))
        memory.initializeMemory(as: Node.self, to: node)
        (memory + offset).initializeMemory(as: Element.self, to: element)
        return memory.assumingMemoryBound(to: DrainNode.self)
    }

    /// The node at an address.
    @inline(__always)
    static func node<Node>(_ node: UnsafeMutablePointer<DrainNode>, as type: Node.Type) -> UnsafeMutablePointer<Node> {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: type)
    }

    /// Takes a node that carries no element out of its memory, and frees that.
    @inline(__always)
    static func take<Node>(_ node: UnsafeMutablePointer<DrainNode>, as type: Node.Type) -> Node {
        defer { free(node) }
        return self.node(node, as: type).move()
    }

    /// Takes the element out of the memory of a node, and frees that.
    @inline(__always)
    static func takeElement<Node, Element>(
        of node: UnsafeMutablePointer<DrainNode>, as type: Node.Type, _ element: Element.Type
    ) -> Element {
        defer { free(node) }
        let memory = UnsafeMutableRawPointer(node) + offset(of: element, after: type)
        return memory.assumingMemoryBound(to: element).move()
    }

    @inline(__always)
    private static func offset<Node, Element>(of element: Element.Type, after node: Node.Type) -> Int {
        let mask = MemoryLayout<Element>.alignment - 1
        return (MemoryLayout<Node>.size + mask) & ~mask
    }

    /// Allocates by `malloc`: Swift's pointers allocate by `posix_memalign` on Linux, which takes 35 instructions more.
    @inline(__always)
    private static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        if alignment <= 2 * MemoryLayout<UInt>.alignment {
            memory = malloc(byteCount)
        } else {
            posix_memalign(&memory, alignment, byteCount)
        }
        return memory!
    }
}
