// SPDX-License-Identifier: Apache-2.0

/// Reads the head of one HTTP/1.1 request from bytes that come in pieces.
///
/// Bodies are not read: the server answers requests that have none, and closes the connection behind each answer.
public struct RequestParser: Sendable {
    public enum Result: Equatable, Sendable {
        case request(Request)
        /// The request cannot be answered: 400 if it is malformed, 431 if it is too long.
        case failure(Status)
    }

    /// The most bytes that the request line and the headers may have together.
    public static let longestHead = 8 * 1_024

    /// The bytes so far, without carriage returns.
    private var head: [UInt8] = []

    /// The result, as soon as there is one. Further bytes do not change it.
    public private(set) var result: Result?

    public init() {}

    public mutating func append(_ bytes: some Sequence<UInt8>) {
        guard result == nil else { return }
        for byte in bytes where byte != UInt8(ascii: "\r") {
            if byte == UInt8(ascii: "\n"), head.last == byte {
                result = RequestParser.parse(String(decoding: head, as: UTF8.self))
                break
            }
            head.append(byte)
            if head.count > RequestParser.longestHead {
                result = .failure(.headersTooLarge)
                break
            }
        }
        if result != nil { head = [] }
    }

    private static func parse(_ head: String) -> Result {
        let lines = head.split(separator: "\n")
        guard let request = lines.first.flatMap(request), lines.dropFirst().allSatisfy(isHeader) else {
            return .failure(.badRequest)
        }
        return .request(request)
    }

    private static func request(_ line: Substring) -> Request? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(isTokenByte), words[1].hasPrefix("/"),
            words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
        else { return nil }
        return Request(method: String(words[0]), path: String(words[1].prefix { $0 != "?" }))
    }

    /// A name, which has no spaces, a colon, and a value.
    private static func isHeader(_ line: Substring) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return false }
        return colon > line.startIndex && line[..<colon].utf8.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
