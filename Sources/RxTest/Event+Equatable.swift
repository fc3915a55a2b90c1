// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// Makes events comparable in tests. Two errors count as equal when they read the same.
extension Event: Equatable where Element: Equatable {
    /// Tells whether both are the same kind of event, with equal elements or errors that read the same.
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): return left == right
        case (.error(let left), .error(let right)): return readsTheSame(left, right)
        case (.completed, .completed): return true
        default: return false
        }
    }
}

/// Makes events comparable in tests. Two errors count as equal when they read the same.
extension MaybeEvent: Equatable where Element: Equatable {
    /// Tells whether both are the same kind of event, with equal elements or errors that read the same.
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): return left == right
        case (.error(let left), .error(let right)): return readsTheSame(left, right)
        case (.completed, .completed): return true
        default: return false
        }
    }
}

/// Makes events comparable in tests. Two errors count as equal when they read the same.
extension CompletableEvent: Equatable {
    /// Tells whether both are the same kind of event, with errors that read the same.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): return readsTheSame(left, right)
        case (.completed, .completed): return true
        default: return false
        }
    }
}

/// Tells whether two errors print the same, because errors are not `Equatable`.
func readsTheSame(_ left: any Error, _ right: any Error) -> Bool { "\(left)" == "\(right)" }
