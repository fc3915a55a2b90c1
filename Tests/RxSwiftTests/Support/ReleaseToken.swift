/// An object whose release can be watched.
final class ReleaseToken: Equatable, CustomStringConvertible, @unchecked Sendable {
    let number: Int
    private let onRelease: () -> Void

    init(_ number: Int = 0, onRelease: @escaping () -> Void = {}) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    var description: String { "\(number)" }
    static func == (left: ReleaseToken, right: ReleaseToken) -> Bool { left === right }
}
