// SPDX-License-Identifier: Apache-2.0

import Alerting
import Testing

struct MeasurementTests {
    @Test("A line is a name and a number") func line() throws {
        let measurement = try Measurement(line: "web1.cpu 97.5")
        #expect(measurement == Measurement(name: "web1.cpu", value: 97.5))
        #expect(measurement.line == "web1.cpu 97.5\n")
        #expect(try Measurement(line: "x -1e3").value == -1_000)
    }

    @Test(
        "Other lines are rejected",
        arguments: [
            "", " ", "cpu", "cpu ", " 1", "cpu one", "cpu 1 2", "cpu  1", "cpu nan", "cpu inf", "cpu 1e999",
            "c\u{1B}[31mpu 1", "c\u{202E}pu 1", "\u{0}cpu 1",
            String(repeating: "n", count: Measurement.longestName + 1) + " 1",
        ])
    func malformed(line: String) {
        #expect(throws: MalformedLine.self) { try Measurement(line: line) }
    }

    @Test("An alert is a line") func alert() {
        #expect(Alert(name: "cpu", isHigh: true, mean: 97.5).line == "HIGH cpu 97.5\n")
        #expect(Alert(name: "cpu", isHigh: false, mean: nil).line == "OK cpu silent\n")
    }
}
