// SPDX-License-Identifier: Apache-2.0

import SignUpForm
import Terminal
import Testing

struct SignUpScreenTests {
    private let wide = WindowSize(rows: 24, columns: 80)

    private func form(_ keys: [Key]) -> FormState {
        var form = FormState()
        for key in keys { form.handle(key) }
        return form
    }

    private func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test("An empty form")
    func empty() {
        let frame = SignUpScreen(form: FormState()).frame(for: wide)
        #expect(
            frame.text == [
                "Sign up",
                "",
                "User name    ________________________  ",
                "Password     ________________________  ",
                "Repeat it    ________________________  ",
                "",
                "( Sign up )  ",
                "",
                "Tab next field  Enter go on  Ctrl-C leave",
            ])
        #expect(frame.cursor == .init(row: 2, column: 13))
    }

    @Test("Passwords are masked, and messages stand beside the fields")
    func filledIn() {
        let keys = typed("nora") + [.tab] + typed("password1") + [.enter] + typed("pass")
        let screen = SignUpScreen(
            form: form(keys), userName: .checking, password: .valid, repetition: .invalid("differs from the password"))
        let frame = screen.frame(for: wide)
        #expect(
            frame.text[2...4] == [
                "User name    nora____________________  checking...",
                "Password     *********_______________  good",
                "Repeat it    ****____________________  differs from the password",
            ])
        #expect(frame.cursor == .init(row: 4, column: 17))
    }

    @Test("In a narrow window messages stand below the fields")
    func narrow() {
        let screen = SignUpScreen(form: form([.tab]), userName: .taken, password: .invalid("at least 8 characters"))
        let frame = screen.frame(for: WindowSize(rows: 24, columns: 40))
        #expect(
            frame.text[2...6] == [
                "User name    ________________________",
                "             taken",
                "Password     ________________________",
                "             at least 8 characters",
                "Repeat it    ________________________  ",
            ])
        #expect(frame.cursor == .init(row: 4, column: 13))
    }

    @Test("The button shows whether it is enabled, and what became of a press")
    func button() {
        let keys: [Key] = [.tab, .tab, .tab]
        var screen = SignUpScreen(form: form(keys), isEnabled: true)
        #expect(screen.frame(for: wide).text[6] == "[ Sign up ]  ")
        #expect(screen.frame(for: wide).cursor == nil)
        screen.isSigningUp = true
        #expect(screen.frame(for: wide).text[6] == "[ Sign up ]  signing up...")
        screen.isSigningUp = false
        screen.outcome = .failed("no connection")
        #expect(screen.frame(for: wide).text[6] == "[ Sign up ]  not signed up: no connection")
    }
}

struct FormStateTests {
    @Test("Keys move the focus, edit the field that has it, or press the button")
    func keys() {
        var form = FormState()
        for key in [
            Key.character("a"), .enter, .character("b"), .down, .character(" "), .up, .backTab, .character("c"),
        ] {
            form.handle(key)
        }
        #expect(form.focus == .userName)
        #expect((form.userName.text, form.password.text, form.repetition.text) == ("ac", "b", " "))
        for key in [Key.backTab, .enter, .character(" "), .character("x"), .left] { form.handle(key) }
        #expect(form.focus == .button && form.presses == 2)
        form.handle(.tab)
        #expect(form.focus == .userName)
    }

    @Test(
        "Names and passwords have rules",
        arguments: [
            ("ab", .invalid("at least 3 characters")), ("a b", .invalid("letters and digits only")),
            ("日本語", .invalid("letters and digits only")), ("a\u{301}bc", .invalid("letters and digits only")),
            (String(repeating: "a", count: 21), .invalid("at most 20 characters")), ("", .empty), ("abc", nil),
        ] as [(String, UserNameState?)])
    func names(name: String, state: UserNameState?) {
        #expect(UserNameRules.state(of: name) == state)
    }

    @Test(
        "Passwords have rules",
        arguments: [
            ("", .empty), ("1234567", .invalid("at least 8 characters")), ("12345678", .invalid("at least one letter")),
            ("abcdefgh", .invalid("at least one digit")), ("abcdefg1", .valid), ("日本語日本語日1", .valid),
        ] as [(String, PasswordState)])
    func passwords(password: String, state: PasswordState) {
        #expect(PasswordRules.state(of: password) == state)
    }
}
