import RxPrimitives

/// Tells of an object whether a reference to it is the only one there is, and none is weak or unowned: then nobody can notice
/// that the object is used for something else.
package struct SoleReference {
    /// The word behind that of the class, which counts the references, of an object just made.
    private let word: UInt

    package init() {
        word = RuntimeLayout.soleCountWord()
    }

    /// Exact if the answer is yes; always no where the runtime counts in a way that is not known. What the others did before they let go of the object is done.
    @inline(__always)
    package func isOnly<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
        RuntimeLayout.holds(.referenceCounts) && RuntimeLayout.countWord(of: reference.toOpaque()) == word
    }
}
