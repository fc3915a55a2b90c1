// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

struct RequestParserTests {
    private func parse(_ pieces: String...) -> RequestParser.Result? {
        var parser = RequestParser()
        for piece in pieces { parser.append(piece.utf8) }
        return parser.result
    }

    @Test("A request has a method and a path") func request() {
        let result = parse("GET /events?since=5 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
        #expect(result == .request(Request(method: "GET", path: "/events")))
    }

    @Test("A request may come byte by byte") func partialInput() {
        var parser = RequestParser()
        for byte in "HEAD / HTTP/1.1\r\nHost: x\r\n\r".utf8 {
            parser.append([byte])
            #expect(parser.result == nil)
        }
        parser.append("\n".utf8)
        #expect(parser.result == .request(Request(method: "HEAD", path: "/")))
    }

    @Test("A carriage return may be missing, and further bytes do not matter") func lenience() {
        #expect(parse("GET / HTTP/1.0\n\n", "GET /other") == .request(Request(method: "GET", path: "/")))
    }

    @Test("A request that has not ended has no result") func incomplete() {
        #expect(parse("") == nil)
        #expect(parse("GET / HTTP/1.1\r\nHost: x\r\n") == nil)
    }

    @Test(
        "Malformed requests get 400",
        arguments: [
            "\n\n", "GET /\n\n", "GET  / HTTP/1.1\n\n", "GET / HTTP/1.1 x\n\n", "GET events HTTP/1.1\n\n",
            "G(T / HTTP/1.1\n\n",
            " / HTTP/1.1\n\n", "GET / HTTP/2\n\n", "GET / HTTP/1.1\nno colon\n\n", "GET / HTTP/1.1\n: x\n\n",
            "GET / HTTP/1.1\nA: b\n folded: x\n\n",
        ])
    func malformed(request: String) {
        #expect(parse(request) == .failure(.badRequest))
    }

    @Test("Headers that are too long get 431, however they come") func tooLong() {
        let line = String(repeating: "x", count: 1_000)
        var parser = RequestParser()
        parser.append("GET / HTTP/1.1\nA: ".utf8)
        for _ in 0..<8 { parser.append(line.utf8) }
        #expect(parser.result == nil)
        parser.append(line.utf8)
        #expect(parser.result == .failure(.headersTooLarge))
        #expect(parse(String(repeating: line, count: 1_000)) == .failure(.headersTooLarge))
    }
}
