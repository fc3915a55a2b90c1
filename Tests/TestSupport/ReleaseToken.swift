// SPDX-License-Identifier: Apache-2.0

/// An object that calls a closure when it is released.
package final class ReleaseToken: Equatable, CustomStringConvertible, @unchecked Sendable {
    package let number: Int
    private let onRelease: () -> Void

    package init(_ number: Int = 0, onRelease: @escaping () -> Void = {}) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    package var description: String { "\(number)" }
    package static func == (left: ReleaseToken, right: ReleaseToken) -> Bool { left === right }
}
