// SPDX-License-Identifier: Apache-2.0

import PipelineModel

/// A difference that no line explains, or a law that does not hold.
package struct Finding: Sendable {
    package var program: Program
    package var seed: UInt64?
    /// The error, in a line.
    package var reason: String
    package var mine: Outcome
    package var other: Outcome?

    /// Findings of the same operators and the same kind of reason are counted as one.
    var signature: String {
        let pipelines = (program.shared + program.mains).map { $0.all.map(\.op.rawValue).joined(separator: " ") }
        return pipelines.joined(separator: " | ") + " " + reason.filter { !$0.isNumber }.prefix(12)
    }

    package var report: String {
        var lines = ["finding: \(reason)"]
        if let seed { lines.append("seed: \(seed), with --kind \(program.kind) and the same --levels") }
        lines.append("text: \(program)")
        lines.append("here:  \(mine.status == .ok ? "" : "\(mine.status): ")\(mine.log)")
        if let other { lines.append("there: \(other.status == .ok ? "" : "\(other.status): ")\(other.log)") }
        lines += ["----", SwiftPrinter.text(program), "----"]
        return lines.joined(separator: "\n")
    }
}
