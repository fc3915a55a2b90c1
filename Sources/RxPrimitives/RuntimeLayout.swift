// SPDX-License-Identifier: Apache-2.0

import CRxPrimitives

// The one file that relies on how the Swift runtime lays out objects, existentials, metadata and closures. Swift's ABI is stable on Darwin
// only. Each assumption is probed once in a process, before it is used for the first time, and pinned by a test; where its probe
// fails, the callers take a path that relies on documented behaviour alone, at the price of an allocation or a call.

/// Assumptions about the memory of the Swift runtime, and the operations built on them.
@frozen
@usableFromInline
package struct RuntimeLayout: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A mark that the probes were made.
    private static let isProbed = RuntimeLayout(rawValue: 1)

    /// The second word of an object counts its references: it has one value in all objects with one strong reference and no others.
    @inlinable package static var referenceCounts: RuntimeLayout { RuntimeLayout(rawValue: 2) }

    /// Behind three words for the value, an existential has the address of its type's metadata.
    @inlinable package static var existentials: RuntimeLayout { RuntimeLayout(rawValue: 4) }

    /// The first word of a type's metadata tells classes of Swift from other types.
    @inlinable package static var metadata: RuntimeLayout { RuntimeLayout(rawValue: 8) }

    /// A closure in a generic structure is two words, and takes its argument by its address, for every type of the argument.
    @inlinable package static var closures: RuntimeLayout { RuntimeLayout(rawValue: 16) }

    /// Tells whether an assumption holds in this process. Costs a load and a branch.
    @inlinable @inline(__always)
    package static func holds(_ assumption: RuntimeLayout) -> Bool {
        rx_layout_load() & assumption.rawValue != 0 || holdsOnceProbed(assumption)
    }

    @usableFromInline @inline(never)
    static func holdsOnceProbed(_ assumption: RuntimeLayout) -> Bool {
        if rx_layout_load() == 0 { rx_layout_store(isProbed.union(probed).rawValue) }
        return rx_layout_load() & assumption.rawValue != 0
    }

    /// For tests: runs a closure as in a process in which no assumption holds, on all threads.
    package static func withoutAssumptions<Result>(_ body: () throws -> Result) rethrows -> Result {
        rx_layout_store(isProbed.rawValue)
        defer { rx_layout_store(isProbed.union(probed).rawValue) }
        return try body()
    }

    // MARK: Reference counts

    /// The second word of an object. Acquiring: paired with the release of the last of the other references.
    @inlinable @inline(__always)
    package static func countWord(of object: UnsafeMutableRawPointer) -> UInt {
        AtomicWord.loadAcquiring(from: object + MemoryLayout<UInt>.stride)
    }

    /// The second word of an object that was just created.
    package static func soleCountWord() -> UInt {
        withExtendedLifetime(Probe()) { countWord(of: Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// True if the only strong reference to an object is that of its owner, which is known to hold it.
    ///
    /// Takes an address because a reference would be counted. Relies on a reference being an address, and on nothing else.
    package static func isHeldOnce(_ address: UnsafeMutableRawPointer) -> Bool {
        var address = address
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    // MARK: Types

    /// The address of the metadata of an existential's value: `type(of:)` for a type that is no class, without the call.
    @inlinable @inline(__always)
    package static func typeWord<Existential>(of existential: Existential) -> UInt {
        withUnsafeBytes(of: existential) { $0.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) }
    }

    /// The address of a type's metadata.
    @inlinable @inline(__always)
    package static func word(of type: Any.Type) -> UInt { UInt(bitPattern: unsafeBitCast(type, to: Int.self)) }

    /// True if all values of a type are objects of Swift's, which may be retained without knowing their type.
    ///
    /// In optimized code, and only there, the first condition also holds for C types that are imported as classes and count
    /// references by functions of their own. The first word of the metadata tells them apart: it is 1...0x7ff unless the type is
    /// a class of Swift's.
    @inlinable @inline(__always)
    package static func isClass<Value>(_ type: Value.Type) -> Bool {
        type is AnyObject.Type && unsafeBitCast(type as Any.Type, to: UnsafePointer<UInt>.self).pointee &- 1 >= 0x7ff
    }

    // MARK: Closures

    /// Moves a structure that holds one closure into two words.
    // `__owned`, not `consuming`: a consumed value cannot be moved out inside the closure.
    @inlinable @inline(__always)
    package static func words<Body>(_ body: __owned Body) -> (UInt, UInt) {
        var words: (UInt, UInt) = (0, 0)
        withUnsafeMutablePointer(to: &words) {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Body.self).initialize(to: body)
        }
        return words
    }

    /// Moves the structure out of the two words again.
    @inlinable @inline(__always)
    package static func body<Body>(_ words: (UInt, UInt), as type: Body.Type) -> Body {
        withUnsafePointer(to: words) {
            UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: type).move()
        }
    }
}

// MARK: - Probes

extension RuntimeLayout {
    private static let probed: RuntimeLayout = {
        var layout: RuntimeLayout = []
        if probeReferenceCounts() { layout.insert(.referenceCounts) }
        if probeExistentials() { layout.insert(.existentials) }
        if probeMetadata() { layout.insert(.metadata) }
        if probeClosures() { layout.insert(.closures) }
        return layout
    }()

    private final class Probe {}
    private protocol Probed { var number: Int { get } }
    private struct Small: Probed { var number = 1 }
    private struct Large: Probed {
        var number = 1
        var others = (2, 3, 4, 5)
    }
    private struct Body<State> { let call: (State) -> Int }

    @inline(never) @_optimize(none)
    private static func probeReferenceCounts() -> Bool {
        let object = Unmanaged.passRetained(Probe())
        let address = object.toOpaque()
        let sole = countWord(of: address)
        defer { object.release() }
        if soleCountWord() != sole { return false }
        _ = object.retain()
        let twice = countWord(of: address)
        object.release()
        if twice == sole || countWord(of: address) != sole { return false }
        do {
            unowned let other = object._withUnsafeGuaranteedRef { $0 }
            let seen = withExtendedLifetime(other) { countWord(of: address) }
            if seen == sole { return false }
        }
        if countWord(of: address) != sole { return false }
        // Last: an object that has had a weak reference keeps a side table.
        weak let weakly = object._withUnsafeGuaranteedRef { $0 }
        return weakly != nil && countWord(of: address) != sole
    }

    @inline(never) @_optimize(none)
    private static func probeExistentials() -> Bool {
        let values: [any Probed] = [Small(), Large()]
        return MemoryLayout<any Probed>.size == 5 * MemoryLayout<UInt>.size
            && typeWord(of: values[0]) == word(of: Small.self) && typeWord(of: values[1]) == word(of: Large.self)
    }

    @inline(never) @_optimize(none)
    private static func probeMetadata() -> Bool {
        func first(_ type: Any.Type) -> UInt { unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee }
        return first(Probe.self) &- 1 >= 0x7ff && first(Small.self) &- 1 < 0x7ff
            && first(Optional<Int>.self) &- 1 < 0x7ff && first((Int, Int).self) &- 1 < 0x7ff
    }

    @inline(never) @_optimize(none)
    private static func probeClosures() -> Bool {
        if MemoryLayout<Body<UInt>>.size != 2 * MemoryLayout<UInt>.size { return false }
        let added = values(1_000)
        let (number, object, flag) = (
            body(words(Body<Int> { $0 + added }), as: Body<UInt>.self),
            body(
                words(Body<Probe> { Int(bitPattern: Unmanaged.passUnretained($0).toOpaque()) &+ added }),
                as: Body<UInt>.self),
            body(words(Body<Bool> { $0 ? added : 0 }), as: Body<UInt>.self)
        )
        let probe = Unmanaged.passRetained(Probe())
        defer { probe.release() }
        let address = UInt(bitPattern: probe.toOpaque())
        return number.call(7) == 1_007 && object.call(address) == Int(bitPattern: address) &+ 1_000
            && flag.call(1) == 1_000 && flag.call(0) == 0
    }

    /// A value that the optimizer cannot know, so that closures capture it.
    @inline(never) @_optimize(none)
    private static func values(_ value: Int) -> Int { value }
}

/// Tells whether a reference to an object is the only one there is, and none is weak or unowned.
///
/// Then no other code can notice that the object is used for something else.
@frozen
@usableFromInline
package struct UniquenessCheck {
    /// The reference count of an object just made: the word after that of the class.
    @usableFromInline let word: UInt

    package init() {
        word = RuntimeLayout.soleCountWord()
    }

    /// Returns true only if the reference is certainly the only one.
    ///
    /// Always returns false where the runtime counts in a way that is not known. Everything that other owners did before they
    /// released the object is done.
    @inlinable @inline(__always)
    package func isUniquelyReferenced<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
        RuntimeLayout.holds(.referenceCounts) && RuntimeLayout.countWord(of: reference.toOpaque()) == word
    }
}

/// Lends the value at an address to a closure.
///
/// For generic code that is not specialized: there reading `pointee` copies the value first, which for counted references is an
/// atomic increment and decrement.
@inlinable @inline(__always)
package func withBorrowed<Value: ~Copyable, Result: ~Copyable>(
    _ address: UnsafePointer<Value>, to body: (borrowing Value) throws -> Result
) rethrows -> Result {
    try body(address.pointee)
}
