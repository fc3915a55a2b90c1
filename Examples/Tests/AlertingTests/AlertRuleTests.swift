// SPDX-License-Identifier: Apache-2.0

import Alerting
import RxSwift
import RxTest
import Testing

/// A character of a diagram is five seconds. A window takes 10 seconds, a change has to last for 20, and silence is a minute.
struct AlertRuleTests {
    /// Small letters are the metric cpu, capital letters are the metric disk.
    private static let lines: [Character: String] = ["l": "cpu 10", "h": "cpu 95", "L": "disk 10", "H": "disk 95"]
    private static let alerts: [Character: Alert] = [
        "h": Alert(name: "cpu", isHigh: true, mean: 95), "l": Alert(name: "cpu", isHigh: false, mean: 10),
        "s": Alert(name: "cpu", isHigh: false, mean: nil), "H": Alert(name: "disk", isHigh: true, mean: 95),
        "S": Alert(name: "disk", isHigh: false, mean: nil),
    ]

    private func expect(
        values: String, alerts: String, rule: AlertRule = AlertRule(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let scheduler = TestScheduler(initialClock: 0)
        let lines = try scheduler.createHotObservable(marbles: values, values: Self.lines, ticksPerCharacter: 5)
        let result = scheduler.start(disposed: 2_000) {
            rule.alerts(of: lines.map { try Measurement(line: $0) }, scheduler: scheduler)
        }
        let drawn = try result.events.marbles(values: Self.alerts, start: 200, ticksPerCharacter: 5)
        #expect(drawn == alerts, sourceLocation: sourceLocation)
    }

    @Test("A metric is high when its windows have been above the limit for 20 s") func high() throws {
        try expect(
            values: "--h-h-h-h-h-h-h-l-l-l-l-l-l",
            alerts: "--------h-----------l")
    }

    @Test(
        "A metric that is high for a moment, or flaps, raises no alert",
        arguments: ["--l-l-h-l-l-l-l", "--h-l-h-l-h-l-h-l-h-l-h-l-h-l"])
    func flapping(values: String) throws {
        try expect(values: values, alerts: "")
    }

    @Test("A dip that does not last leaves the metric high") func dip() throws {
        try expect(
            values: "--h-h-h-h-h-h-l-h-h-h-h-h",
            alerts: "--------h---------------------------s")
    }

    @Test("A metric that has been silent for a minute is normal again") func silence() throws {
        try expect(
            values: "--h-h-h-h-h-h",
            alerts: "--------h---------------s")
    }

    @Test("Metrics do not affect each other") func severalMetrics() throws {
        try expect(
            values: "--hLhLhLhHhHhHhHhHhHlHlHlHlHlHlHlH",
            alerts: "--------h----H----------l--------------------S")
    }

    @Test("A window that has its number of values ends before its time") func count() throws {
        var rule = AlertRule()
        rule.count = 1
        try expect(
            values: "--h-h-h-h-h",
            alerts: "------h---------------s", rule: rule)
    }

    @Test("A metric for which there is no room is ignored until another one is silent") func nameLimit() throws {
        var rule = AlertRule()
        rule.mostNames = 1
        try expect(
            values: "--hHhHhHhH-H-H-H-H-H-H-H-H-H-H-H",
            alerts: "--------h-----------s------H---------------S", rule: rule)
    }

    @Test("An error ends the alerts") func failure() throws {
        try expect(
            values: "--h-h-h-h-h-h-#",
            alerts: "--------h-----#")
    }
}
