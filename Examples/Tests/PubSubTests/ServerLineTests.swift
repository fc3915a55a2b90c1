// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct ServerLineTests {
    @Test(arguments: [
        ServerLine.done, .pong, .bye, .statistics("connections=1 topics=0"), .error("no such thing"), .dropped(17),
        .message(topic: "news", payload: "two words"), .message(topic: "news", payload: ""),
    ])
    func aLineIsReadAsItWasWritten(said: ServerLine) {
        #expect(ServerLine(line: String(said.line.dropLast())) == said)
        #expect(said.line.hasSuffix("\n"))
    }

    @Test(arguments: ["", "OK", "+OK then", "MSG", "MSG topic", "-DROPPED", "-DROPPED many", "-ERR"])
    func whatNoServerSaysIsNoLine(line: String) {
        #expect(ServerLine(line: line) == nil)
    }
}
