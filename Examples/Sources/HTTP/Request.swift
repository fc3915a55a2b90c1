// SPDX-License-Identifier: Apache-2.0

/// The head of an HTTP request.
public struct Request: Equatable, Sendable {
    public let method: String
    /// The path, without the query.
    public let path: String

    public init(method: String, path: String) {
        self.method = method
        self.path = path
    }
}
