// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The log of one request that `URLSession.rx` sends.
package struct RequestLog {
    private let request: URLRequest
    /// Nil if the time is not wanted.
    private let start: UInt64?

    /// - Parameter request: is about to be sent.
    package init(_ request: URLRequest) {
        self.request = request
        start = RequestLog.shouldLog(request) ? MonotonicClock.now() : nil
    }

    /// Writes the log, if it is wanted.
    package func ended(_ response: URLResponse?, _ error: (any Error)?) {
        guard RequestLog.shouldLog(request) else { return }
        let now = MonotonicClock.now()
        let milliseconds = (now - (start ?? now)) / 1_000_000
        let outcome = RequestLog.outcome(response, error, milliseconds: milliseconds)
        RequestLog.write(RequestLog.curlCommand(of: request) + "\n" + outcome)
    }

    /// Describes in a line how a request ended.
    package static func outcome(_ response: URLResponse?, _ error: (any Error)?, milliseconds: UInt64) -> String {
        if let response = response as? HTTPURLResponse {
            let verdict = 200..<300 ~= response.statusCode ? "Success" : "Failure"
            return "\(verdict) (\(milliseconds)ms): Status \(response.statusCode)"
        }
        if let error {
            if (error as? URLError)?.code == .cancelled { return "Canceled (\(milliseconds)ms)" }
            return "Failure (\(milliseconds)ms): \(error)"
        }
        return "Failure (\(milliseconds)ms): no HTTP response"
    }

    /// The command that sends a request from a shell. The body is left out if it is not text.
    package static func curlCommand(of request: URLRequest) -> String {
        var command = "curl -X \(request.httpMethod ?? "GET")"
        if let body = request.httpBody.flatMap({ String(bytes: $0, encoding: .utf8) }) {
            command += " --data-raw \(quoted(body))"
        }
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            command += " \\\n    -H \(quoted("\(name): \(value)"))"
        }
        return command + " \\\n    \(quoted(request.url?.absoluteString ?? "")) -i -v"
    }

    /// Quotes a text so that a shell reads it back.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text {
            if "\"\\$`".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result + "\""
    }
}

extension RequestLog {
    private static let lock = Mutex()
    /// The closures in use, protected by the lock.
    nonisolated(unsafe) private static var settings = Settings()

    private struct Settings {
        var shouldLog: (URLRequest) -> Bool = { _ in
            #if DEBUG
                true
            #else
                false
            #endif
        }
        var write: (String) -> Void = { print($0) }
    }

    /// Tells whether a request is to be logged.
    package static var shouldLog: (URLRequest) -> Bool {
        get { lock.withLock { settings.shouldLog } }
        set { exchange(\.shouldLog, newValue) }
    }

    /// Writes the log of a request, which is several lines.
    package static var write: (String) -> Void {
        get { lock.withLock { settings.write } }
        set { exchange(\.write, newValue) }
    }

    private static func exchange<Value>(_ setting: WritableKeyPath<Settings, Value>, _ value: Value) {
        var former = value
        lock.withLock { swap(&former, &settings[keyPath: setting]) }
        // The objects that the former closure held are released here, outside the lock.
        withExtendedLifetime(former) {}
    }
}
