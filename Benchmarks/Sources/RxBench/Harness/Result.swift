// SPDX-License-Identifier: Apache-2.0

/// One interleaved round: both sides once, in nanoseconds per event.
struct Round: Codable {
    let ours: Double
    let peer: Double
    let oursFirst: Bool

    var ratio: Double { peer / ours }
}

/// A row after its rounds, as it goes into the table and the JSON file.
struct Result: Codable {
    let area: Area
    let name: String
    let peerName: String
    let unit: String
    let eventsPerCall: Int
    let oursNanoseconds: Double
    let peerNanoseconds: Double
    let ratio: Double
    let ratioMinimum: Double
    let ratioMaximum: Double
    let bar: Double?
    let mallocsPerEvent: Double?
    let mallocLimit: Double?
    let verdict: Verdict
    let rounds: [Round]

    enum Verdict: String, Codable {
        case pass, slow, allocates, slowAndAllocates, informs
    }

    init(row: Row, rounds: [Round], mallocsPerEvent: Double?) {
        area = row.area
        name = row.name
        peerName = row.peerName
        unit = row.unit
        eventsPerCall = row.events
        oursNanoseconds = median(rounds.map(\.ours))
        peerNanoseconds = median(rounds.map(\.peer))
        let ratios = rounds.map(\.ratio)
        let ratio = median(ratios)
        self.ratio = ratio
        ratioMinimum = ratios.min() ?? 0
        ratioMaximum = ratios.max() ?? 0
        bar = row.bar
        self.mallocsPerEvent = mallocsPerEvent
        mallocLimit = row.mallocLimit
        self.rounds = rounds

        let slow = row.bar.map { ratio < $0 } ?? false
        // A queue in chunks allocates a chunk now and then: less than one malloc in a hundred events counts as none.
        let allocates = row.mallocLimit.map { (mallocsPerEvent ?? 0) >= $0 + 0.01 } ?? false
        switch (slow, allocates) {
        case _ where row.bar == nil: verdict = .informs
        case (false, false): verdict = .pass
        case (true, false): verdict = .slow
        case (false, true): verdict = .allocates
        case (true, true): verdict = .slowAndAllocates
        }
    }
}
