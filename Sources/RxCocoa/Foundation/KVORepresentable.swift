// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A type whose values can be made of what key-value observing delivers.
public protocol KVORepresentable {
    /// The type of the values that are delivered.
    associatedtype KVOType

    /// The value that was delivered; nil if there is none in it.
    init?(KVOValue: KVOType)
}

extension Bool: KVORepresentable {
    public typealias KVOType = NSNumber

    /// True if the number is not 0.
    public init?(KVOValue: KVOType) { self = KVOValue.boolValue }
}

extension Int: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.intValue }
}

extension Int32: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.int32Value }
}

extension Int64: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.int64Value }
}

extension UInt: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.uintValue }
}

extension UInt32: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.uint32Value }
}

extension UInt64: KVORepresentable {
    public typealias KVOType = NSNumber

    /// The number as an integer, cut to size.
    public init?(KVOValue: KVOType) { self = KVOValue.uint64Value }
}

extension CGPoint: KVORepresentable {
    public typealias KVOType = NSValue

    /// The point in a value; nil if the value is something else.
    public init?(KVOValue: KVOType) {
        guard KVOValue.hasType(of: NSValue(point: .zero)) else { return nil }
        self = KVOValue.pointValue
    }
}

extension CGSize: KVORepresentable {
    public typealias KVOType = NSValue

    /// The size in a value; nil if the value is something else.
    public init?(KVOValue: KVOType) {
        guard KVOValue.hasType(of: NSValue(size: .zero)) else { return nil }
        self = KVOValue.sizeValue
    }
}

extension CGRect: KVORepresentable {
    public typealias KVOType = NSValue

    /// The rectangle in a value; nil if the value is something else.
    public init?(KVOValue: KVOType) {
        guard KVOValue.hasType(of: NSValue(rect: .zero)) else { return nil }
        self = KVOValue.rectValue
    }
}

extension NSValue {
    fileprivate func hasType(of other: NSValue) -> Bool {
        String(cString: objCType) == String(cString: other.objCType)
    }
}
