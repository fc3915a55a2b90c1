// SPDX-License-Identifier: Apache-2.0

/// A line of the common log format, as web servers write it:
///
///     127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326
public struct CommonLogLine: Equatable, Sendable {
    public var host: Substring
    public var user: Substring
    public var time: Substring
    public var method: Substring
    public var path: Substring
    public var status: Substring
    public var bytes: Substring

    /// Returns nil if the line has another form. Text after the number of bytes (as in the combined format) does not matter.
    public init?(_ line: String) {
        var scanner = FieldScanner(line)
        guard let host = scanner.field(before: " "), scanner.field(before: " ") != nil,
            let user = scanner.field(before: " "), scanner.skip("["), let time = scanner.field(before: "]"),
            scanner.skip(" "), scanner.skip("\""), let request = scanner.field(before: "\""), scanner.skip(" "),
            let status = scanner.field(before: " ")
        else { return nil }
        var words = FieldScanner(request)
        guard let method = words.field(before: " "), let path = words.lastField(before: " ") else { return nil }
        self.host = host
        self.user = user
        self.time = time
        self.method = method
        self.path = path
        self.status = status
        bytes = scanner.lastField(before: " ") ?? ""
    }
}

/// Takes fields off the front of a text. Compares bytes: separators are ASCII, and looking for characters takes longer.
struct FieldScanner {
    private var rest: Substring

    init(_ text: some StringProtocol) { rest = Substring(text) }

    /// Removes and returns the text before a separator, and removes the separator. Returns nil if there is none.
    mutating func field(before separator: Unicode.Scalar) -> Substring? {
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        defer { rest = rest[rest.utf8.index(after: end)...] }
        return rest[..<end]
    }

    /// Removes and returns the text before a separator, or all the remaining text. Returns nil if no text remains.
    mutating func lastField(before separator: Unicode.Scalar) -> Substring? {
        if let field = field(before: separator) { return field }
        defer { rest = "" }
        return rest.isEmpty ? nil : rest
    }

    /// Removes one character. Returns false if it is another one.
    mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard rest.utf8.first == UInt8(ascii: expected) else { return false }
        rest = rest[rest.utf8.index(after: rest.startIndex)...]
        return true
    }
}
