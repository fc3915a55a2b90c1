// SPDX-License-Identifier: Apache-2.0

/// The errors that operators and subjects send of their own.
public enum RxError: Swift.Error, CustomDebugStringConvertible {
    /// An error for which there is no other case.
    case unknown
    /// `object` was used after it had been disposed of.
    case disposed(object: AnyObject)
    /// An arithmetic overflow: a counter exceeded its range.
    case overflow
    /// An index or count lies outside the range of the sequence.
    case argumentOutOfRange
    /// The sequence has no element, where one was required.
    case noElements
    /// The sequence has several elements, where one was required.
    case moreThanOneElement
    /// A timeout: no event came in time.
    case timeout

    /// A description of the error for the log.
    public var debugDescription: String {
        switch self {
        case .unknown: return "Unknown error occurred."
        case .disposed(let object): return "Object `\(object)` was already disposed."
        case .overflow: return "Arithmetic overflow occurred."
        case .argumentOutOfRange: return "Argument out of range."
        case .noElements: return "Sequence doesn't contain any elements."
        case .moreThanOneElement: return "Sequence contains more than one element."
        case .timeout: return "Sequence timeout."
        }
    }
}
