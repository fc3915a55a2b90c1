// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RequestLogTests {
    @Test("A plain request is logged as a curl command") func plainRequest() {
        let request = URLRequest(url: URL(string: "http://host/path?a=1&b=2")!)
        #expect(RequestLog.curlCommand(of: request) == "curl -X GET \\\n    \"http://host/path?a=1&b=2\" -i -v")
    }

    @Test("Headers and body are quoted for a shell") func headersAndBody() throws {
        var request = URLRequest(url: URL(string: "http://host/")!)
        request.httpMethod = "POST"
        request.setValue("x", forHTTPHeaderField: "B")
        request.setValue("\"quoted\"", forHTTPHeaderField: "A")
        request.httpBody = Data(#"{"price": "5$ `or` \\"}"#.utf8)
        let expected = [
            #"curl -X POST --data-raw "{\"price\": \"5\$ \`or\` \\\\\"}" \"#, #"    -H "A: \"quoted\"" \"#,
            #"    -H "B: x" \"#, #"    "http://host/" -i -v"#,
        ]
        #expect(RequestLog.curlCommand(of: request) == expected.joined(separator: "\n"))
        request.httpBody = Data([0xff, 0xfe])
        #expect(!RequestLog.curlCommand(of: request).contains("--data-raw"))
    }

    @Test("The outcome of a request is one line") func outcome() throws {
        let url = URL(string: "http://host/")!
        func response(_ status: Int) -> URLResponse? {
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        }
        let other = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        #expect(RequestLog.outcome(response(204), nil, milliseconds: 7) == "Success (7ms): Status 204")
        #expect(RequestLog.outcome(response(500), nil, milliseconds: 7) == "Failure (7ms): Status 500")
        #expect(RequestLog.outcome(nil, URLError(.cancelled), milliseconds: 7) == "Canceled (7ms)")
        #expect(RequestLog.outcome(nil, Failure.expected, milliseconds: 7) == "Failure (7ms): expected")
        #expect(RequestLog.outcome(other, nil, milliseconds: 7) == "Failure (7ms): no HTTP response")
    }

    @Test("Requests are logged by default in debug builds") func defaultSetting() {
        let isLogged = RequestLog.shouldLog(URLRequest(url: URL(string: "http://host/")!))
        #if DEBUG
            #expect(isLogged)
        #else
            #expect(!isLogged)
        #endif
    }
}
