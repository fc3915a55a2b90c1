// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

struct ResponseTests {
    @Test("A head has a status, a type, a length and an empty line") func head() {
        let lines = ResponseHead(.ok, type: "text/plain", length: 3).text.split(
            separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.prefix(3) == ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 3"])
        #expect(lines.contains("Connection: close"))
        #expect(lines.suffix(2) == ["", ""])
    }

    @Test("A stream has no length") func stream() {
        #expect(!ResponseHead(.ok, type: "text/event-stream", length: nil).text.contains("Content-Length"))
    }

    @Test("405 names the methods that are allowed") func allowedMethods() {
        let head = ResponseHead(.methodNotAllowed, type: "text/plain", length: 0).text
        #expect(head.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"))
        #expect(head.contains("\r\nAllow: GET, HEAD\r\n"))
    }

    @Test("An event is its fields and an empty line") func event() {
        #expect(ServerSentEvent(data: "{}").text == "data: {}\n\n")
        #expect(
            ServerSentEvent(name: "end", data: "a\nb", retryMilliseconds: 500).text
                == "retry: 500\nevent: end\ndata: a\ndata: b\n\n")
    }
}
