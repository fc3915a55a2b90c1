// SPDX-License-Identifier: Apache-2.0

public import Terminal

/// The fields of the form, and the one that has the keys.
public struct FormState: Equatable, Sendable {
    public enum Field: Int, CaseIterable, Sendable {
        case userName, password, repetition, button
    }

    public private(set) var userName = LineEditor(limit: 40)
    public private(set) var password = LineEditor()
    public private(set) var repetition = LineEditor()
    public private(set) var focus = Field.userName
    /// The number of times that the button was pressed.
    public private(set) var presses = 0

    public init() {}

    public mutating func handle(_ key: Key) {
        switch key {
        case .tab, .down: move(1)
        case .backTab, .up: move(-1)
        case .enter where focus != .button: move(1)
        case .enter: presses += 1
        case .character(" ") where focus == .button: presses += 1
        default: edit(key)
        }
    }

    private mutating func edit(_ key: Key) {
        switch focus {
        case .userName: userName.handle(key)
        case .password: password.handle(key)
        case .repetition: repetition.handle(key)
        case .button: break
        }
    }

    private mutating func move(_ steps: Int) {
        let count = Field.allCases.count
        focus = Field(rawValue: (focus.rawValue + steps + count) % count) ?? .userName
    }
}
