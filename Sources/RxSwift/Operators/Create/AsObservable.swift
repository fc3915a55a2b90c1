// SPDX-License-Identifier: Apache-2.0

// This is the only declaration, for all types: of two declarations the compiler has to try both, which took seconds with a row of
// closures before the call.
extension ObservableType {
    /// Returns this sequence as an `Observable`; an observable returns itself.
    ///
    /// Events of the program's own types are serialized like those of `create`, so that the operators downstream keep the laws of
    /// sequences even if the type does not.
    @inlinable @inline(__always)
    public func asObservable() -> Observable<Element> {
        (self as? Observable<Element>) ?? Create({ observer in subscribe(observer) })
    }
}
