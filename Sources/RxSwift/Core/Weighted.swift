// SPDX-License-Identifier: Apache-2.0

/// A value that says how much memory it holds, so that queues of such values are bounded in bytes, too.
///
/// `observe(on:)` and `zip` pause their sources when 1 MiB waits, or earlier, when so many elements wait as they bound. Elements of other
/// types count by their number alone.
public protocol Weighted {
    /// The number of bytes that the value holds, about. Must not be negative; must be the same each time.
    ///
    /// Called on the thread that emits the value. Should cost a few instructions, as it is called once for each value that is queued.
    var weightInBytes: Int { get }
}

extension String: Weighted {
    public var weightInBytes: Int { utf8.count }
}

extension Substring: Weighted {
    public var weightInBytes: Int { utf8.count }
}

extension Array: Weighted {
    /// The elements' own size and, where they are `Weighted`, what they hold. Costs a call for each element in that case.
    public var weightInBytes: Int { weight(of: self) }
}

extension ArraySlice: Weighted {
    /// As an array of the same elements.
    public var weightInBytes: Int { weight(of: self) }
}

extension ContiguousArray: Weighted {
    /// As an array of the same elements.
    public var weightInBytes: Int { weight(of: self) }
}

extension Optional: Weighted where Wrapped: Weighted {
    public var weightInBytes: Int { self?.weightInBytes ?? 0 }
}

extension Result: Weighted where Success: Weighted {
    public var weightInBytes: Int {
        if case .success(let value) = self { value.weightInBytes } else { 0 }
    }
}

extension Event: Weighted where Element: Weighted {
    public var weightInBytes: Int { element?.weightInBytes ?? 0 }
}

/// True if elements of a type tell their weights.
package func isWeighted(_ type: Any.Type) -> Bool { type is any Weighted.Type }

/// Returns the function that weighs elements of a type, or nil if the type is not `Weighted`.
///
/// - Parameter operatorName: named if an element has a negative weight, which ends the program.
@usableFromInline
package func weigher<Element>(of type: Element.Type, for operatorName: StaticString) -> ((Element) -> Int)? {
    guard let weighted = type as? any Weighted.Type else { return nil }
    return makeWeigher(weighted, operatorName)
}

/// Makes the function for a type that is now known to be both: the type of elements, and `Weighted`.
private func makeWeigher<Value: Weighted, Element>(
    _: Value.Type, _ operatorName: StaticString
) -> (Element) -> Int {
    { element in
        let weight = withUnsafePointer(to: element) {
            UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee.weightInBytes
        }
        if weight < 0 {
            fatalError("\(operatorName): weightInBytes of a \(Value.self) must not be negative, is \(weight)")
        }
        return min(weight, greatestWeight)
    }
}

/// The most that one value counts for: far above every bound, and small enough that sums do not overflow.
private let greatestWeight = 1 << 32

/// The weight of elements that are contiguous in memory.
private func weight<Elements: Collection>(of elements: Elements) -> Int {
    var bytes = elements.count * MemoryLayout<Elements.Element>.stride
    guard let weigh = weigher(of: Elements.Element.self, for: "Array") else { return bytes }
    for element in elements { bytes += weigh(element) }
    return bytes
}
