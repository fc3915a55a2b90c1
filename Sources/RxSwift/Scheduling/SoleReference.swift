import RxPrimitives

/// Tells whether a reference to an object is the only one there is, and none is weak or unowned.
///
/// Then no other code can notice that the object is used for something else.
package struct SoleReference {
    /// The reference count of an object just made: the word behind that of the class.
    private let word: UInt

    package init() {
        word = RuntimeLayout.soleCountWord()
    }

    /// Returns true only if the reference is certainly the only one.
    ///
    /// Always returns false where the runtime counts in a way that is not known. Everything that other owners did before they
    /// released the object is done.
    @inline(__always)
    package func isOnly<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
        RuntimeLayout.holds(.referenceCounts) && RuntimeLayout.countWord(of: reference.toOpaque()) == word
    }
}
