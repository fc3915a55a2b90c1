// SPDX-License-Identifier: Apache-2.0

/// The state of a user name, as far as it is known.
public enum UserNameState: Equatable, Sendable {
    case empty
    /// The name breaks a rule, which the text says.
    case invalid(String)
    case checking
    case available
    case taken
    /// The service could not be asked.
    case unchecked(String)

    public var isAvailable: Bool { self == .available }
}

/// The rules for user names that need no service.
public enum UserNameRules {
    public static let longest = 20

    /// Returns the state of a name that need not be looked up; nil if it has to be.
    public static func state(of name: String) -> UserNameState? {
        if name.isEmpty { return .empty }
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return .invalid("letters and digits only")
        }
        if name.count < 3 { return .invalid("at least 3 characters") }
        return name.count > longest ? .invalid("at most \(longest) characters") : nil
    }
}
