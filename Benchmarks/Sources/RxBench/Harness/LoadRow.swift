// SPDX-License-Identifier: Apache-2.0

/// A line of the table about rates: producers send on a schedule, even if the receiver does not keep up, at multiples of the most that
/// each side was measured to deliver.
struct LoadRow {
    /// One of the compared sides.
    struct Side {
        let name: String
        /// Builds the pipeline. It passes each event to `deliver`, serially; an event is its intended send time.
        let open: (_ deliver: @escaping (UInt64) -> Void) -> Pipeline
    }

    /// A pipeline that is ready to receive events.
    struct Pipeline {
        /// Sends one event. May be called on any producer's thread.
        let send: (UInt64) -> Void
        /// Ends the pipeline after its last event. Called once.
        let close: () -> Void
    }

    let area: Area
    let name: String
    let producers: Int
    /// The number of threads that deliver, beside the producers.
    let consumers: Int
    let ours: Side
    let peers: [Side]
    /// The most megabytes of resident memory that ours may take at any rate; nil for a row that only informs.
    let memoryLimit: Double?
    /// The length of the schedule at each rate, in nanoseconds.
    let span: UInt64
    let rounds: Int

    /// The offered rates, as multiples of the side's capacity.
    static let rates = [0.5, 0.8, 1.0, 1.2, 1.5, 2.0]
}
