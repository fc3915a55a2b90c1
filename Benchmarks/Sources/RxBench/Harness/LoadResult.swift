// SPDX-License-Identifier: Apache-2.0

/// A row about rates after its rounds, as it goes into the table and the JSON file.
struct LoadResult: Codable {
    let area: Area
    let name: String
    /// Ours first, then the peers, then the generator alone at the rates of ours.
    let sides: [LoadSideResult]
    /// The limit for ours at any rate, in megabytes.
    let memoryLimit: Double?
    let verdict: Result.Verdict

    init(row: LoadRow, sides: [LoadSideResult]) {
        area = row.area
        name = row.name
        memoryLimit = row.memoryLimit
        self.sides = sides
        let most = sides[0].levels.map(\.megabytes).max() ?? 0
        verdict = row.memoryLimit.map { most > $0 ? .allocates : .pass } ?? .informs
    }
}

extension LoadResult: Judged {}

/// One side at all rates.
struct LoadSideResult: Codable {
    let name: String
    /// The events per second that the side delivers when all are due at once: the median of the rounds.
    let capacity: Double
    let levels: [Level]

    /// One offered rate.
    struct Level: Codable {
        /// The offered rate as a multiple of the side's capacity.
        let factor: Double
        /// Events per second, by the schedule.
        let offered: Double
        /// Events per second that the producers sent while they sent.
        let sent: Double
        /// Nanoseconds from an event's due time to its delivery.
        let latency: Distribution
        /// The most events that were accepted and not delivered, in any round.
        let longestQueue: Int
        /// The growth of resident memory at its peak, in any round.
        let megabytes: Double
        /// Seconds from the end of the schedule to the last delivery, in the longest round.
        let overrun: Double
        /// Calls of `Hooks.backlogHandler`, in all rounds.
        let backlogReports: Int
    }
}
