// SPDX-License-Identifier: Apache-2.0

/// An event of a `text/event-stream`.
public struct ServerSentEvent: Equatable, Sendable {
    public var name: String?
    public var data: String
    /// The time after which a browser that has lost the connection asks again.
    public var retryMilliseconds: Int?

    public init(name: String? = nil, data: String, retryMilliseconds: Int? = nil) {
        self.name = name
        self.data = data
        self.retryMilliseconds = retryMilliseconds
    }

    /// The event as it is sent. Data of several lines is several fields.
    public var text: String {
        var text = ""
        if let retryMilliseconds { text += "retry: \(retryMilliseconds)\n" }
        if let name { text += "event: \(name)\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }
}
