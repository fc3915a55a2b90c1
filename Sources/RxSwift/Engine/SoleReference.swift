import RxPrimitives

/// Tells of an object whether a reference to it is the only one there is, and none is weak or unowned: then nobody can notice
/// that the object is used for something else.
package struct SoleReference {
    /// The word behind that of the class, which counts the references, of an object just made.
    private let word: UInt

    package init() {
        final class Probe {}
        word = withExtendedLifetime(Probe()) { SoleReference.word(of: .passUnretained($0)) }
    }

    /// Exact if the answer is yes. What the others did before they let go of the object is done.
    @inline(__always)
    package func isOnly<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
        SoleReference.word(of: reference) == word
    }

    @inline(__always)
    private static func word<Object: AnyObject>(of object: Unmanaged<Object>) -> UInt {
        // Acquiring: paired with the release of the last of the other references.
        AtomicWord.loadAcquiring(from: object.toOpaque() + MemoryLayout<UInt>.stride)
    }
}
