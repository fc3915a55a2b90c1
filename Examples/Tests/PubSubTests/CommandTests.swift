// SPDX-License-Identifier: Apache-2.0

import PubSub
import Testing

struct CommandTests {
    @Test(arguments: [
        Command.subscribe(topic: "news"), .unsubscribe(topic: "news"), .publish(topic: "news", payload: "a b  c "),
        .publish(topic: "news", payload: ""), .ping, .statistics, .quit,
    ])
    func aLineIsReadAsItWasWritten(command: Command) throws {
        #expect(try Command(line: String(command.line.dropLast())) == command)
        #expect(command.line.hasSuffix("\n"))
    }

    @Test(arguments: [
        "", " ", "sub news", "SUB", "SUB ", "SUB two words", "SUB a\tb", "UNSUB", "PUB", "PUB topic", "PUB  payload",
        "PING 1", "QUIT now", "STATS ", "PUBLISH a b",
    ])
    func whatIsNoCommandIsRefusedWithAReason(line: String) {
        let error = #expect(throws: CommandError.self) { try Command(line: line) }
        #expect(error?.description.isEmpty == false)
    }

    @Test func aTopicsNameHasAtMost128Bytes() throws {
        let longest = String(repeating: "é", count: 64)
        #expect(try Command(line: "SUB \(longest)") == .subscribe(topic: longest))
        #expect(throws: CommandError.self) { try Command(line: "SUB \(longest)a") }
    }

    @Test func payloadsAreText() throws {
        #expect(try Command(line: "PUB news caf\u{E9} \u{1F600}") == .publish(topic: "news", payload: "café 😀"))
    }
}
