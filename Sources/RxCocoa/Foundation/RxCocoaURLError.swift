// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The errors of `URLSession.rx` that are not the session's own.
public enum RxCocoaURLError: Error, CustomDebugStringConvertible {
    /// The request ended with neither a response nor an error.
    case unknown
    /// The response is not one of HTTP.
    case nonHTTPResponse(response: URLResponse)
    /// The status of the response is not from 200 to 299; `data` is the response's body.
    case httpRequestFailed(response: HTTPURLResponse, data: Data?)
    /// The body of the response has not the expected form.
    case deserializationError(error: any Error)

    /// A description of the error for the log.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .nonHTTPResponse(let response): "The response is not one of HTTP: `\(response)`."
        case .httpRequestFailed(let response, _): "HTTP request failed with status `\(response.statusCode)`."
        case .deserializationError(let error): "The response could not be deserialized: \(error)"
        }
    }
}
