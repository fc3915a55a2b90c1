// SPDX-License-Identifier: Apache-2.0

/// Makes up lines in the common log format: the same ones each time.
public struct SampleLog: Sendable {
    private var state: UInt64 = 1

    private static let paths = ["/", "/index.html", "/search", "/cart", "/login", "/static/app.js", "/static/app.css"]
    private static let statuses = [200, 200, 200, 200, 200, 200, 304, 304, 404, 500]

    public init() {}

    public mutating func line() -> String {
        let path = SampleLog.paths[min(random(7), random(7))]
        let method = path == "/login" || path == "/cart" ? "POST" : "GET"
        let status = SampleLog.statuses[random(10)]
        let host = "10.0.0.\(1 + random(20))"
        return "\(host) - - [01/Jan/2026:00:00:00 +0000] \"\(method) \(path) HTTP/1.1\" \(status) \(random(50_000))"
    }

    /// Returns a number in 0..<limit, from a linear congruential generator.
    private mutating func random(_ limit: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % limit)
    }
}
