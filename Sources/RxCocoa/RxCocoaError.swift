// SPDX-License-Identifier: Apache-2.0

/// The errors of bindings to objects.
public enum RxCocoaError: Error, CustomDebugStringConvertible {
    /// An error for which there is no other case.
    case unknown
    /// `object` can't do what it was asked for.
    case invalidOperation(object: Any)
    /// `object`, a data source, was asked for an item before items were bound to it.
    case itemsNotYetBound(object: Any)
    /// `object` has no property of that name.
    case invalidPropertyName(object: Any, propertyName: String)
    /// The property of `sourceObject` has the value `object`, which can't be observed.
    case invalidObjectOnKeyPath(object: Any, sourceObject: AnyObject, propertyName: String)
    /// An implementation could not be exchanged at run time.
    case errorDuringSwizzling
    /// `object` is not of the type.
    case castingError(object: Any, targetType: any Any.Type)

    /// A description of the error for the log.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .invalidOperation(let object): "`\(object)` does not support the operation."
        case .itemsNotYetBound(let object): "No items have been bound to the data source of `\(object)` yet."
        case .invalidPropertyName(let object, let propertyName): "`\(object)` has no property `\(propertyName)`."
        case .invalidObjectOnKeyPath(let object, let sourceObject, let propertyName):
            "`\(object)`, which is `\(propertyName)` of `\(sourceObject)`, can't be observed."
        case .errorDuringSwizzling: "A method could not be swizzled."
        case .castingError(let object, let targetType): "`\(object)` is not a `\(targetType)`."
        }
    }
}
