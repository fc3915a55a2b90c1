// SPDX-License-Identifier: Apache-2.0

/// A reference that keeps an object, and lends it without counting.
///
/// Of a usual variable the compiler counts a reference whenever the object is used, since the variable might change meanwhile. These are atomic
/// operations, and a message had dozens of them on its way through an event loop. Used on one thread at a time.
struct Held<Object: AnyObject>: ~Copyable {
    private var held: Unmanaged<Object>?

    init() {}

    deinit { held?.release() }

    /// A reference of its own.
    var object: Object? { held?._withUnsafeGuaranteedRef { $0 } }

    /// The object, which the owner of this lends: the owner must not release it meanwhile.
    @inline(__always) var lent: Unmanaged<Object>? { held }

    /// Keeps `object` in place of any other one. Counts nothing if it is the same.
    mutating func hold(_ object: Object) {
        let wanted = Unmanaged.passUnretained(object)
        if let held, held.toOpaque() == wanted.toOpaque() { return }
        release()
        held = wanted.retain()
    }

    mutating func release() {
        let released = held
        held = nil
        released?.release()
    }
}
