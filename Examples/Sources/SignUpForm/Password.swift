// SPDX-License-Identifier: Apache-2.0

/// The state of a password, or of its repetition.
public enum PasswordState: Equatable, Sendable {
    case empty
    /// A rule is broken, which the text says.
    case invalid(String)
    case valid
}

/// The rules for passwords.
public enum PasswordRules {
    public static func state(of password: String) -> PasswordState {
        if password.isEmpty { return .empty }
        if password.count < 8 { return .invalid("at least 8 characters") }
        if !password.contains(where: \.isNumber) { return .invalid("at least one digit") }
        return password.contains(where: \.isLetter) ? .valid : .invalid("at least one letter")
    }

    public static func state(ofRepetition repetition: String, of password: String) -> PasswordState {
        if repetition.isEmpty { return .empty }
        return repetition == password ? .valid : .invalid("differs from the password")
    }
}
