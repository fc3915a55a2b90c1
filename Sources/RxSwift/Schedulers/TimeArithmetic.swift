// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import FoundationEssentials

extension RxTime {
    /// The time so much later; the distant future for `.never`.
    package func advanced(by interval: RxTimeInterval) -> RxTime {
        guard let seconds = interval.seconds else { return .distantFuture }
        return addingTimeInterval(seconds)
    }
}

/// Times in nanoseconds, which virtual clocks bring to both ends of the range.
extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The nanoseconds of a span in seconds, in whole microseconds, within 292 years.
    init(nanosecondsOf seconds: Double) {
        let microseconds = (seconds * 1_000_000).rounded()
        let most = Double(Int64.max / 1_000)
        if microseconds.isNaN {
            self = 0
        } else {
            self = microseconds >= most ? .max : microseconds <= -most ? .min : Int64(microseconds) * 1_000
        }
    }
}

extension RxTimeInterval {
    /// This span in seconds; nil for `.never`.
    package var seconds: Double? {
        switch self {
        case .seconds(let value): return Double(value)
        case .milliseconds(let value): return Double(value) / 1_000
        case .microseconds(let value): return Double(value) / 1_000_000
        case .nanoseconds(let value): return Double(value) / 1_000_000_000
        case .never: return nil
        @unknown default: return nil
        }
    }
}
