// SPDX-License-Identifier: Apache-2.0

public import Terminal

/// All that the form shows, and how it looks.
public struct SignUpScreen: Equatable, Sendable {
    public var form: FormState
    public var userName: UserNameState
    public var password: PasswordState
    public var repetition: PasswordState
    public var isEnabled: Bool
    public var isSigningUp: Bool
    public var outcome: SignUpModel.Outcome?

    public init(
        form: FormState, userName: UserNameState = .empty, password: PasswordState = .empty,
        repetition: PasswordState = .empty, isEnabled: Bool = false, isSigningUp: Bool = false,
        outcome: SignUpModel.Outcome? = nil
    ) {
        self.form = form
        self.userName = userName
        self.password = password
        self.repetition = repetition
        self.isEnabled = isEnabled
        self.isSigningUp = isSigningUp
        self.outcome = outcome
    }

    private static let labelColumns = 13
    private static let fieldColumns = 24

    public func frame(for size: WindowSize) -> Frame {
        var lines: [Line] = [Line("Sign up", .bold), ""]
        var cursor: Frame.Position?
        for field in [FormState.Field.userName, .password, .repetition] {
            let part = part(of: field)
            if form.focus == field {
                cursor = .init(row: lines.count, column: Self.labelColumns + part.cursor)
            }
            lines += self.lines(of: field, part.text, message(of: field), for: size)
        }
        lines += ["", button, "", Line("Tab next field  Enter go on  Ctrl-C leave", .dim)]
        return Frame(lines, cursor: cursor)
    }

    private func part(of field: FormState.Field) -> (text: String, cursor: Int) {
        switch field {
        case .password: form.password.visiblePart(width: Self.fieldColumns, mask: "*")
        case .repetition: form.repetition.visiblePart(width: Self.fieldColumns, mask: "*")
        case .userName, .button: form.userName.visiblePart(width: Self.fieldColumns)
        }
    }

    /// A field and its message: beside each other if the window is wide enough.
    private func lines(of field: FormState.Field, _ text: String, _ message: Line, for size: WindowSize) -> [Line] {
        let label = Line(Self.label(of: field), form.focus == field ? .bold : .plain).padded(to: Self.labelColumns)
        let blanks = String(repeating: "_", count: max(0, Self.fieldColumns - text.columns))
        let line = label + Line(text) + Line(blanks, .dim)
        let indent = Line("").padded(to: Self.labelColumns)
        if line.text.columns + 2 + message.text.columns <= size.columns { return [line + "  " + message] }
        return [line, indent + message]
    }

    private static func label(of field: FormState.Field) -> String {
        switch field {
        case .userName: "User name"
        case .password: "Password"
        case .repetition: "Repeat it"
        case .button: ""
        }
    }

    private func message(of field: FormState.Field) -> Line {
        switch field {
        case .userName: Self.message(userName)
        case .password: Self.message(password)
        case .repetition: Self.message(repetition)
        case .button: Line()
        }
    }

    private static func message(_ state: UserNameState) -> Line {
        switch state {
        case .empty: Line()
        case .invalid(let rule): Line(rule, .red)
        case .checking: Line("checking...", .yellow)
        case .available: Line("available", .green)
        case .taken: Line("taken", .red)
        case .unchecked(let reason): Line(reason, .red)
        }
    }

    private static func message(_ state: PasswordState) -> Line {
        switch state {
        case .empty: Line()
        case .invalid(let rule): Line(rule, .red)
        case .valid: Line("good", .green)
        }
    }

    /// The button, and what became of the last press.
    private var button: Line {
        let style: Style = form.focus == .button ? .inverse : isEnabled ? .bold : .dim
        return Line(isEnabled ? "[ Sign up ]" : "( Sign up )", style) + "  " + status
    }

    private var status: Line {
        if isSigningUp { return Line("signing up...", .yellow) }
        switch outcome {
        case .signedUp(let name): return Line("welcome, \(name)", .green)
        case .failed(let reason): return Line("not signed up: \(reason)", .red)
        case nil: return Line()
        }
    }
}
