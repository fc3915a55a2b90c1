// SPDX-License-Identifier: Apache-2.0

/// The status of an answer.
public enum Status: Int, Sendable {
    case ok = 200
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case headersTooLarge = 431

    public var reason: String {
        switch self {
        case .ok: "OK"
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .headersTooLarge: "Request Header Fields Too Large"
        }
    }
}

/// The head of an answer, behind which the connection is closed.
public struct ResponseHead: Sendable {
    private var lines: [String]

    /// - Parameter length: the number of bytes in the body; nil if it ends with the connection.
    public init(_ status: Status, type: String, length: Int?) {
        lines = ["HTTP/1.1 \(status.rawValue) \(status.reason)", "Content-Type: \(type)"]
        if let length { lines.append("Content-Length: \(length)") }
        if status == .methodNotAllowed { lines.append("Allow: GET, HEAD") }
        lines += ["Cache-Control: no-store", "X-Content-Type-Options: nosniff", "Connection: close"]
    }

    public var text: String { lines.map { $0 + "\r\n" }.joined() + "\r\n" }
}
