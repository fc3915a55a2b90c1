// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxSwift
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Serialized: the log of requests is the process's.
@Suite(.serialized) struct URLSessionTests {
    private let session = URLSessionTests.makeSession()
    private let log = EventLog()

    private static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [PlayedProtocol.self]
        URLSession.rx.shouldLogRequest = { _ in false }
        return URLSession(configuration: configuration)
    }

    private static func request(_ path: String) -> URLRequest { URLRequest(url: URL(string: "http://played/\(path)")!) }

    /// Records the events of a sequence, and waits for its end.
    private func end<Element>(of source: Observable<Element>, _ text: @escaping (Element) -> String) async -> [String] {
        let subscription = log.observe(
            source.map(text).do(onDispose: { [log] in log.note("disposed") }).catch { error in
                .just("failed: " + Self.text(error))
            })
        #expect(await eventually { log.lines.contains("completed") && log.lines.contains("disposed") })
        subscription.dispose()
        return log.lines.filter { $0 != "disposed" && $0 != "completed" }
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case RxCocoaURLError.nonHTTPResponse(let response): "nonHTTPResponse \(response.url?.lastPathComponent ?? "")"
        case RxCocoaURLError.httpRequestFailed(let response, let data):
            "httpRequestFailed \(response.statusCode) \(String(decoding: data ?? Data(), as: UTF8.self))"
        case RxCocoaURLError.deserializationError: "deserializationError"
        case let error as URLError: "URLError \(error.code.rawValue)"
        default: "\(error)"
        }
    }

    @Test(
        "response delivers any status with the body",
        arguments: [("ok", "200 {\"a\":[1,2]}"), ("missing", "404 gone"), ("nothing", "204 ")])
    func response(_ path: String, _ expected: String) async {
        let lines = await end(of: session.rx.response(request: Self.request(path))) { response, data in
            "\(response.statusCode) \(String(decoding: data, as: UTF8.self))"
        }
        #expect(lines == [expected])
    }

    @Test(
        "data fails unless the status is a success",
        arguments: [
            ("ok", "{\"a\":[1,2]}"), ("missing", "failed: httpRequestFailed 404 gone"),
            ("file", "failed: nonHTTPResponse file"),
            ("refused", "failed: URLError \(URLError.cannotConnectToHost.rawValue)"),
        ])
    func data(_ path: String, _ expected: String) async {
        let lines = await end(of: session.rx.data(request: Self.request(path))) { String(decoding: $0, as: UTF8.self) }
        #expect(lines == [expected])
    }

    @Test(
        "json reads the body",
        arguments: [
            ("ok", "[1, 2]"), ("text", "failed: deserializationError"),
            ("missing", "failed: httpRequestFailed 404 gone"),
        ])
    func json(_ path: String, _ expected: String) async {
        let json = session.rx.json(request: Self.request(path))
        let lines = await end(of: json) { "\((($0 as? [String: Any])?["a"] as? [Int]) ?? [])" }
        #expect(lines == [expected])
    }

    @Test("json uses the options") func jsonOptions() async {
        let fragment = session.rx.json(request: Self.request("fragment"), options: [.fragmentsAllowed])
        #expect(await end(of: fragment) { "\($0)" } == ["7"])
    }

    @Test("A real server answers") func realServer() async {
        setenv("no_proxy", "127.0.0.1", 1)
        let real = URLSession(configuration: .ephemeral)
        let server = LoopbackServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{\"a\":[5]}")
        let empty = LoopbackServer(answering: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        #expect(
            await end(of: real.rx.json(url: server.url("/json"))) { "\($0 as? [String: [Int]] ?? [:])" } == [
                "[\"a\": [5]]"
            ])
        log.clear()
        #expect(
            await end(of: real.rx.data(request: URLRequest(url: empty.url("/")))) { "\($0.count) bytes" } == ["0 bytes"]
        )
        log.clear()
        let closed = LoopbackServer(answering: "", connections: 0)
        let refused = await end(of: real.rx.json(url: closed.url("/"))) { "\($0)" }
        #expect(refused == ["failed: URLError \(URLError.cannotConnectToHost.rawValue)"])
        real.finishTasksAndInvalidate()
    }

    @Test("Each subscription sends a request, and nothing is sent before") func requestPerSubscription() async {
        let started = PlayedProtocol.started.value
        let source = session.rx.data(request: Self.request("ok"))
        #expect(PlayedProtocol.started.value == started)
        _ = await end(of: source) { "\($0.count)" }
        log.clear()
        _ = await end(of: source) { "\($0.count)" }
        #expect(PlayedProtocol.started.value == started + 2)
    }

    @Test("dispose cancels the request") func disposeCancels() async {
        let (started, stopped) = (PlayedProtocol.started.value, PlayedProtocol.stopped.value)
        let subscription = log.observe(session.rx.data(request: Self.request("never")).map(\.count))
        #expect(await eventually { PlayedProtocol.started.value == started + 1 })
        subscription.dispose()
        #expect(await eventually { PlayedProtocol.stopped.value == stopped + 1 })
        try? await Task.sleep(nanoseconds: 10_000_000)
        #expect(log.lines == [])
    }

    @Test("The selected requests are logged with their outcome") func requestLog() async {
        let formerWrite = RequestLog.write
        defer {
            RequestLog.write = formerWrite
            URLSession.rx.shouldLogRequest = { _ in false }
        }
        let written = EventLog()
        RequestLog.write = { [written] text in
            let digits = try! NSRegularExpression(pattern: "\\([0-9]+ms\\)")
            let range = NSRange(text.startIndex..., in: text)
            written.note(digits.stringByReplacingMatches(in: text, range: range, withTemplate: "(?ms)"))
        }
        URLSession.rx.shouldLogRequest = { $0.url?.lastPathComponent != "text" }
        for path in ["ok", "missing", "text"] {
            _ = await end(of: session.rx.response(request: Self.request(path))) { "\($0.data.count)" }
            log.clear()
        }
        let started = PlayedProtocol.started.value
        let subscription = session.rx.response(request: Self.request("never")).subscribe()
        #expect(await eventually { PlayedProtocol.started.value == started + 1 })
        subscription.dispose()
        #expect(await eventually { written.lines.count == 3 })
        #expect(
            written.lines == [
                "curl -X GET \\\n    \"http://played/ok\" -i -v\nSuccess (?ms): Status 200",
                "curl -X GET \\\n    \"http://played/missing\" -i -v\nFailure (?ms): Status 404",
                "curl -X GET \\\n    \"http://played/never\" -i -v\nCanceled (?ms)",
            ])
    }

    @Test("The request releases its subscriber", arguments: ["ok", "refused", "never"])
    func releasedSubscriber(path: String) async {
        weak var token: ReleaseToken?
        let subscription: any Disposable
        do {
            let strong = ReleaseToken()
            token = strong
            subscription = session.rx.data(request: Self.request(path)).subscribe(
                onNext: { _ in _ = strong }, onError: { _ in _ = strong })
        }
        if path == "never" { subscription.dispose() }
        #expect(await eventually { token == nil })
    }

    #if TRACE_RESOURCES
        @Test("No object of a request is left behind") func noLeak() async {
            await #expect(processExitsWith: .success) {
                let session = URLSessionTests.makeSession()
                let before = Resources.total
                for path in ["ok", "missing", "text", "file", "refused"] {
                    let log = EventLog()
                    let subscription = log.observe(session.rx.json(request: URLSessionTests.request(path)))
                    let hasEnded = await eventually {
                        log.lines.last.map { $0 == "completed" || $0.hasPrefix("error") } ?? false
                    }
                    precondition(hasEnded, log.text)
                    subscription.dispose()
                }
                session.rx.json(request: URLSessionTests.request("never")).subscribe(onError: { _ in }).dispose()
                let isBack = await eventually { Resources.total == before }
                precondition(isBack, "\(Resources.census())")
            }
        }
    #endif
}

/// Answers requests without a network. The path selects the answer.
private final class PlayedProtocol: URLProtocol, @unchecked Sendable {
    static let started = AtomicCounter(0)
    static let stopped = AtomicCounter(0)

    private static let answers: [String: (status: Int, body: String)] = [
        "ok": (200, "{\"a\":[1,2]}"), "missing": (404, "gone"), "nothing": (204, ""), "text": (200, "no JSON"),
        "fragment": (200, "7"),
    ]

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "played" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        Self.started.increment()
        let url = request.url!
        if let (status, body) = Self.answers[url.lastPathComponent] {
            answer(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)!, body)
        } else if url.lastPathComponent == "file" {
            answer(URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil), "x")
        } else if url.lastPathComponent == "refused" {
            client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
        }
    }

    override func stopLoading() { Self.stopped.increment() }

    private func answer(_ response: URLResponse, _ body: String) {
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if !body.isEmpty { client?.urlProtocol(self, didLoad: Data(body.utf8)) }
        client?.urlProtocolDidFinishLoading(self)
    }
}
