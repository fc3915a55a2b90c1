/// Lends the value at an address to a closure.
///
/// For generic code that is not specialized: there reading `pointee` copies the value first, which for counted references is an
/// atomic increment and decrement.
@inlinable @inline(__always)
package func lend<Value: ~Copyable, Result: ~Copyable>(
    _ address: UnsafePointer<Value>, to body: (borrowing Value) throws -> Result
) rethrows -> Result {
    try body(address.pointee)
}
