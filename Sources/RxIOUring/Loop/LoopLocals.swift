// SPDX-License-Identifier: Apache-2.0

/// What the streams of one loop share, one object of each type at most. Used on the loop thread only.
struct LoopLocals {
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    subscript<Object: AnyObject>(_ type: Object.Type) -> Object? {
        get { objects[ObjectIdentifier(type)].map { unsafeDowncast($0, to: type) } }
        set { objects[ObjectIdentifier(type)] = newValue }
    }
}
