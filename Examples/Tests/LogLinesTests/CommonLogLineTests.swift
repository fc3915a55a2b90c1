// SPDX-License-Identifier: Apache-2.0

import LogLines
import Testing

struct CommonLogLineTests {
    private let line = #"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?q=1 HTTP/1.0" 200 2326"#

    @Test func hasAllParts() throws {
        let parsed = try #require(CommonLogLine(line))
        #expect(parsed.host == "127.0.0.1")
        #expect(parsed.user == "frank")
        #expect(parsed.time == "10/Oct/2000:13:55:36 -0700")
        #expect(parsed.method == "GET")
        #expect(parsed.path == "/a.gif?q=1")
        #expect(parsed.status == "200")
        #expect(parsed.bytes == "2326")
    }

    @Test func theCombinedFormatIsOneOfThese() throws {
        let parsed = try #require(CommonLogLine(line + #" "http://example.com/" "curl/8.0""#))
        #expect(parsed.bytes == "2326")
    }

    @Test func aRequestNeedsNoVersion() throws {
        let parsed = try #require(CommonLogLine(#"::1 - - [x] "GET /" 200 -"#))
        #expect(parsed.path == "/")
        #expect(parsed.bytes == "-")
    }

    @Test(arguments: [
        "", "x", "a b c", #"a - - [t] "GET" 200 1"#, #"a - - t "GET / HTTP/1.0" 200 1"#, #"a - - [t] "GET / HTTP/1.0"#,
        #"a - - [t] GET / HTTP/1.0 200 1"#,
    ])
    func anotherLineIsNone(line: String) {
        #expect(CommonLogLine(line) == nil)
    }

    @Test func sampleLogsAreOfTheFormat() {
        var log = SampleLog()
        for _ in 1...1_000 { #expect(CommonLogLine(log.line()) != nil) }
    }
}
