// SPDX-License-Identifier: Apache-2.0

/// A value of a metric: the line `name value`.
public struct Measurement: Equatable, Sendable {
    public let name: String
    public let value: Double

    /// The most bytes that a name may have.
    public static let longestName = 128

    public init(name: String, value: Double) {
        self.name = name
        self.value = value
    }

    /// Reads a line, without the line feed.
    public init(line: String) throws(MalformedLine) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, (1...Measurement.longestName).contains(words[0].utf8.count) else {
            throw MalformedLine()
        }
        // A name is printed: none may send commands to the terminal.
        guard words[0].unicodeScalars.allSatisfy(Measurement.isPrintable) else { throw MalformedLine() }
        guard let value = Double(words[1]), value.isFinite else { throw MalformedLine() }
        self.init(name: String(words[0]), value: value)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// The line, with its line feed.
    public var line: String { "\(name) \(value)\n" }
}

public struct MalformedLine: Error, Equatable, CustomStringConvertible {
    public let description =
        "a line is a name of at most \(Measurement.longestName) printable bytes, a space and a number"
}
