// SPDX-License-Identifier: Apache-2.0

/// Decodes the bytes that a terminal sends: UTF-8, control characters, escape sequences and bracketed pastes.
///
/// The bytes may come in pieces that end anywhere. Invalid UTF-8 becomes U+FFFD. A key that the decoder does not know is dropped.
public struct KeyDecoder: Sendable {
    private enum State {
        case ground
        /// Behind ESC.
        case escape
        /// Behind ESC O.
        case singleShift
        /// Behind ESC [, with the bytes since then.
        case control([UInt8])
        /// Inside a character, with its bytes so far and the number of those that are missing.
        case character([UInt8], missing: Int)
    }

    private var state = State.ground
    /// True inside a bracketed paste, where line ends and tabs are text.
    private var isPasting = false
    /// True if no byte has come inside the paste for a time.
    private var isPasteIdle = false

    public init() {}

    /// Returns the keys that the bytes complete.
    public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { decode(byte, into: &keys) }
        return keys
    }

    /// Ends an incomplete escape sequence, after a time without bytes: the key Escape alone is the beginning of one.
    ///
    /// Inside a paste it ends nothing. But Control-C is a key again as the next byte: the end of a paste may be lost, and the program must be
    /// one that can be left.
    public mutating func pause() -> [Key] {
        if isPasting {
            isPasteIdle = true
            return []
        }
        switch state {
        case .ground, .character: return []
        case .escape:
            state = .ground
            return [.escape]
        case .singleShift, .control:
            state = .ground
            return []
        }
    }

    private mutating func decode(_ byte: UInt8, into keys: inout [Key]) {
        if isPasteIdle {
            isPasteIdle = false
            if byte == Self.controlC { leavePaste() }
        }
        switch state {
        case .ground: begin(byte, into: &keys)
        case .escape: escape(byte, into: &keys)
        case .singleShift:
            state = .ground
            if let key = byte == UInt8(ascii: "M") ? .enter : Self.cursorKey(byte) { emit(key, into: &keys) }
        case .control(let sequence): control(sequence, byte, into: &keys)
        case .character(let sequence, let missing): character(sequence, missing, byte, into: &keys)
        }
    }

    private mutating func leavePaste() {
        isPasting = false
        state = .ground
    }

    private mutating func begin(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0A, 0x0D: emit(.enter, into: &keys)
        case 0x09: emit(.tab, into: &keys)
        case 0x08, 0x7F: emit(.backspace, into: &keys)
        case 0x01...0x1A: emit(.control(Character(Unicode.Scalar(byte + 0x60))), into: &keys)
        case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xDF: state = .character([byte], missing: 1)
        case 0xE0...0xEF: state = .character([byte], missing: 2)
        case 0xF0...0xF4: state = .character([byte], missing: 3)
        case 0x80...: keys.append(Self.replacement)
        default: break
        }
    }

    private mutating func escape(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .singleShift
        case 0x1B: emit(.escape, into: &keys)
        // A key with Alt, unless a control character or a character follows the key Escape.
        case 0x20..<0x7F: state = .ground
        default:
            state = .ground
            emit(.escape, into: &keys)
            begin(byte, into: &keys)
        }
    }

    private mutating func control(_ sequence: [UInt8], _ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        // The sequences that are known are shorter: the rest of a longer one does not count.
        case 0x20..<0x40: state = .control(sequence.count < 16 ? sequence + [byte] : sequence)
        case 0x40..<0x7F:
            state = .ground
            complete(sequence, byte, into: &keys)
        default:
            state = .ground
            begin(byte, into: &keys)
        }
    }

    private mutating func complete(_ sequence: [UInt8], _ final: UInt8, into keys: inout [Key]) {
        guard final == UInt8(ascii: "~") else {
            if let key = final == UInt8(ascii: "Z") ? .backTab : Self.cursorKey(final) { emit(key, into: &keys) }
            return
        }
        // The first number; a second one says which of Shift, Alt and Ctrl are held down.
        switch String(decoding: sequence.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": emit(.home, into: &keys)
        case "3": emit(.delete, into: &keys)
        case "4", "8": emit(.end, into: &keys)
        case "5": emit(.pageUp, into: &keys)
        case "6": emit(.pageDown, into: &keys)
        case "200": isPasting = true
        case "201": isPasting = false
        default: break
        }
    }

    private mutating func character(_ sequence: [UInt8], _ missing: Int, _ byte: UInt8, into keys: inout [Key]) {
        guard Self.continues(sequence, byte) else {
            state = .ground
            keys.append(Self.replacement)
            return begin(byte, into: &keys)
        }
        guard missing == 1 else {
            state = .character(sequence + [byte], missing: missing - 1)
            return
        }
        state = .ground
        let text = String(decoding: sequence + [byte], as: UTF8.self)
        // U+0080 to U+009F control the terminal.
        if let scalar = text.unicodeScalars.first, scalar.value >= 0xA0 { keys.append(.character(Character(scalar))) }
    }

    /// Emits a key that is no character. A paste has none: line ends and tabs become spaces.
    private func emit(_ key: Key, into keys: inout [Key]) {
        if !isPasting {
            keys.append(key)
        } else if key == .enter || key == .tab {
            keys.append(.character(" "))
        }
    }

    /// Returns true if a byte continues a character. Overlong forms, surrogates and numbers above U+10FFFF end at the second byte.
    private static func continues(_ sequence: [UInt8], _ byte: UInt8) -> Bool {
        guard sequence.count == 1 else { return (0x80...0xBF).contains(byte) }
        switch sequence[0] {
        case 0xE0: return (0xA0...0xBF).contains(byte)
        case 0xED: return (0x80...0x9F).contains(byte)
        case 0xF0: return (0x90...0xBF).contains(byte)
        case 0xF4: return (0x80...0x8F).contains(byte)
        default: return (0x80...0xBF).contains(byte)
        }
    }

    private static func cursorKey(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        default: nil
        }
    }

    private static let controlC: UInt8 = 0x03
    private static let replacement = Key.character("\u{FFFD}")
}
