// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Decodes bytes as UTF-8. Each maximal part that is invalid becomes U+FFFD, as by `String(decoding:as:)`.
    ///
    /// Takes up to 12 ns a byte if many are invalid. `String(decoding:as:)` takes up to 50 ns: a line of a megabyte from a hostile peer held the
    /// loop for 50 ms. The parts are those of the Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal Subparts".
    init(repairing bytes: UnsafeRawBufferPointer) {
        if let valid = String(validating: bytes, as: UTF8.self) {
            self = valid
            return
        }
        // An invalid byte becomes the three of U+FFFD.
        self = withUnsafeTemporaryAllocation(byteCount: 3 * bytes.count, alignment: 8) { memory in
            let count = repair(bytes, into: memory)
            return String(decoding: UnsafeRawBufferPointer(rebasing: memory[..<count]), as: UTF8.self)
        }
    }
}

/// Copies bytes, with U+FFFD for the invalid ones. Returns the number of bytes written.
private func repair(_ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer) -> Int {
    guard var source = bytes.baseAddress, let start = memory.baseAddress else { return 0 }
    let end = source + bytes.count
    var target = start
    while source < end {
        while source + 8 <= end {
            let word = source.loadUnaligned(as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            target.storeBytes(of: word, as: UInt64.self)
            source += 8
            target += 8
        }
        if source == end { break }
        let part = UTF8Part(at: source, before: end)
        if part.isValid {
            target.copyMemory(from: source, byteCount: part.count)
            target += part.count
        } else {
            target.storeBytes(of: 0xEF, toByteOffset: 0, as: UInt8.self)
            target.storeBytes(of: 0xBF, toByteOffset: 1, as: UInt8.self)
            target.storeBytes(of: 0xBD, toByteOffset: 2, as: UInt8.self)
            target += 3
        }
        source += part.count
    }
    return target - start
}

/// A character in UTF-8, or a maximal invalid part: the bytes with which a character could begin, or one with which none does.
private struct UTF8Part {
    let count: Int
    let isValid: Bool

    private init(_ count: Int, isValid: Bool) { (self.count, self.isValid) = (count, isValid) }

    private static func invalid(_ count: Int) -> UTF8Part { UTF8Part(count, isValid: false) }

    /// The part that begins at an address. The cases are those of the Unicode Standard, table 3-7.
    @inline(__always)
    init(at start: UnsafeRawPointer, before end: UnsafeRawPointer) {
        func byte(_ index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }
        func continues(_ index: Int) -> Bool { start + index < end && byte(index) & 0xC0 == 0x80 }

        let first = byte(0)
        switch first {
        case 0..<0x80:
            self.init(1, isValid: true)
        case 0xC2..<0xE0:
            self = continues(1) ? UTF8Part(2, isValid: true) : .invalid(1)
        case 0xE0..<0xF5:
            guard start + 1 < end, UTF8Part.seconds(behind: first).contains(byte(1)) else {
                self = .invalid(1)
                return
            }
            if !continues(2) {
                self = .invalid(2)
            } else if first < 0xF0 {
                self.init(3, isValid: true)
            } else {
                self = continues(3) ? UTF8Part(4, isValid: true) : .invalid(3)
            }
        default:
            self = .invalid(1)
        }
    }

    /// The second bytes of characters of three or four bytes.
    @inline(__always)
    private static func seconds(behind first: UInt8) -> ClosedRange<UInt8> {
        switch first {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
