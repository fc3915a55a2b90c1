// The one declaration for all types: of two of them, the compiler has to try both, and with a row of closures before the call
// that took seconds.
extension ObservableType {
    /// This sequence as an `Observable`; an observable itself.
    ///
    /// For types of the program's own: their events are serialized like those of `create`, so that what follows keeps the
    /// laws of sequences even if the type does not.
    @inlinable @inline(__always)
    public func asObservable() -> Observable<Element> {
        (self as? Observable<Element>) ?? Create(foreign: { observer in subscribe(observer) })
    }
}
