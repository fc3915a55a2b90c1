// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Work of any kind that waits at a serializer: an enumeration of what its target can be told to do.
struct WorkNode<Work> {
    /// The first field, so that a pointer to it is a pointer to the node.
    private var head: DrainNode
    private var work: Work

    static func make(_ work: Work) -> UnsafeMutablePointer<DrainNode> {
        let node = UnsafeMutablePointer<WorkNode>.allocate(capacity: 1)
        node.initialize(to: WorkNode(head: DrainNode(), work: work))
        return UnsafeMutableRawPointer(node).assumingMemoryBound(to: DrainNode.self)
    }

    /// The work of a node that stays as it is.
    static func look(_ node: UnsafeMutablePointer<DrainNode>) -> Work {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: WorkNode.self).pointee.work
    }

    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> Work {
        let node = UnsafeMutableRawPointer(node).assumingMemoryBound(to: WorkNode.self)
        defer { node.deallocate() }
        return node.move().work
    }
}
