// SPDX-License-Identifier: Apache-2.0

/// A line of the table that is a size and not a time: less is better, and the limit is in the unit itself.
struct Figure {
    let area: Area
    let name: String
    let unit: String
    /// The greatest value that passes.
    let limit: Double?
    let ours: () -> Double
    let peerName: String
    /// The peer's figure, for comparison; not judged.
    let peer: () -> Double

    func measure() -> FigureResult {
        let ours = ours()
        return FigureResult(
            area: area, name: name, unit: unit, ours: ours, peerName: peerName, peer: peer(), limit: limit,
            verdict: limit.map { ours > $0 ? .slow : .pass } ?? .informs)
    }
}

/// A figure as it goes into the table and the JSON file.
struct FigureResult: Codable {
    let area: Area
    let name: String
    let unit: String
    let ours: Double
    let peerName: String
    let peer: Double
    let limit: Double?
    let verdict: Result.Verdict
}

private let figureRounds = 5

/// The note about `least` in a figure's unit.
let leastOfRounds = ", the least of \(figureRounds) rounds"

/// Returns the least of some rounds: an interrupt or the hypervisor adds to a thread's processor time now and then, the library adds
/// its cost in each round.
func least(_ measure: () -> Double) -> Double {
    (0..<figureRounds).map { _ in measure() }.min() ?? .nan
}
