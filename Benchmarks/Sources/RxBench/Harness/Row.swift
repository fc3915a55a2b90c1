// SPDX-License-Identifier: Apache-2.0

/// One line of the table: a workload of ours beside the same work done by a peer.
///
/// Both closures do `events` units of work from scratch (sources built, subscribed, driven, disposed) and return a checksum. The driver
/// compares it with the expected one, so that no event can be lost or optimized away.
struct Row {
    typealias Workload = (_ events: Int) -> Int

    /// The part of the library, and the file that contains the row.
    let area: Area
    /// The name, by topology: `PublishSubject.1to8.throughput`.
    let name: String
    /// The name of the peer.
    let peerName: String
    /// The least ratio peer / ours that passes; nil for a row that only informs.
    let bar: Double?
    /// The most mallocs per event of ours that pass; nil where the row allocates by its nature.
    let mallocLimit: Double?
    /// The unit that "ns/op" counts.
    let unit: String
    /// The number of units that one call does.
    var events: Int { countEvents() }
    let ours: Workload
    let peer: Workload
    /// The workload for the malloc count, if it must differ from the timed one.
    let mallocs: Workload?
    /// The checksum of `ours` and of `peer` after so many units.
    let expected: (_ events: Int) -> Int
    let expectedOfPeer: (_ events: Int) -> Int
    // Evaluated late: the end-to-end job has to make and read its text first.
    private let countEvents: () -> Int

    init(
        _ area: Area,
        _ name: String,
        vs peerName: String,
        bar: Double? = nil,
        mallocLimit: Double? = 0,
        unit: String = "event",
        events: @autoclosure @escaping () -> Int,
        expected: @escaping (_ events: Int) -> Int,
        expectedOfPeer: ((_ events: Int) -> Int)? = nil,
        ours: @escaping Workload,
        peer: @escaping Workload,
        mallocs: Workload? = nil
    ) {
        self.area = area
        self.name = name
        self.peerName = peerName
        self.bar = bar
        self.mallocLimit = mallocLimit
        self.unit = unit
        self.countEvents = events
        self.expected = expected
        self.expectedOfPeer = expectedOfPeer ?? expected
        self.ours = ours
        self.peer = peer
        self.mallocs = mallocs
    }
}

enum Area: String, Codable, CaseIterable {
    case subjects, lifecycles, operators, combining, replaying, hops, tasks, timers, elements, traits, endToEnd
    case loop, pool, net, files
    case load
}

/// The sum to which an observer adds: a class, so that the closure has an effect the optimizer must keep.
final class Sum: @unchecked Sendable {
    var value = 0
}

/// Returns 0 + 1 + ... + (count - 1).
func triangle(_ count: Int) -> Int {
    count * (count - 1) / 2
}

/// Hides the origin of a value, so that a loop over it cannot be computed at compile time.
@inline(never)
func opaque<Value>(_ value: Value) -> Value {
    value
}
