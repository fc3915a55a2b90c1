// SPDX-License-Identifier: Apache-2.0

/// A command of a calculator.
enum CalculatorCommand: Equatable {
    case clear
    case changeSign
    case percent
    case operation(Operation)
    case equal
    case digit(Character)
    case dot

    enum Operation: Character {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"

        func callAsFunction(_ left: Double, _ right: Double) -> Double {
            switch self {
            case .add: left + right
            case .subtract: left - right
            case .multiply: left * right
            case .divide: left / right
            }
        }
    }

    init?(key: Character) {
        switch key {
        case "C": self = .clear
        case "~": self = .changeSign
        case "%": self = .percent
        case "=": self = .equal
        case ".": self = .dot
        case "0"..."9": self = .digit(key)
        default:
            guard let operation = Operation(rawValue: key) else { return nil }
            self = .operation(operation)
        }
    }
}

/// A calculator between two keys: a value that each command replaces by another.
struct CalculatorState: Equatable {
    static let initial = CalculatorState()

    private(set) var screen = "0"
    /// The left operand and the pending operation.
    private var pending: Pending?
    /// True if the next digit starts a number.
    private var startsNumber = true

    private struct Pending: Equatable {
        let operand: Double
        let operation: CalculatorCommand.Operation
    }

    private var number: Double { Double(screen) ?? 0 }

    /// The operator shown beside the screen.
    var sign: String { pending.map { String($0.operation.rawValue) } ?? "" }

    /// Returns the state after a command, for `scan`.
    static func reduce(_ state: CalculatorState, _ command: CalculatorCommand) -> CalculatorState {
        var new = state
        new.perform(command)
        return new
    }

    private mutating func perform(_ command: CalculatorCommand) {
        switch command {
        case .clear: self = .initial
        case .changeSign: screen = Self.text(-number)
        case .percent: screen = Self.text(number / 100)
        case .digit(let digit):
            screen = startsNumber || screen == "0" ? String(digit) : screen + String(digit)
            startsNumber = false
        case .dot:
            if startsNumber { screen = "0" }
            if !screen.contains(".") { screen += "." }
            startsNumber = false
        case .operation(let operation):
            // An operator right after another replaces it.
            if !startsNumber { calculate() }
            pending = Pending(operand: number, operation: operation)
            startsNumber = true
        case .equal:
            calculate()
            pending = nil
            startsNumber = true
        }
    }

    private mutating func calculate() {
        if let pending { screen = Self.text(pending.operation(pending.operand, number)) }
    }

    private static func text(_ number: Double) -> String {
        if number.isInfinite || number.isNaN { return "0" }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
