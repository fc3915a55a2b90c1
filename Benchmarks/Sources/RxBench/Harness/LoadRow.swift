/// A line of the table about rates: producers send on a schedule, whether or not the receiver keeps up, at multiples of what each side
/// was measured to deliver at most.
struct LoadRow {
    /// One of those that are compared.
    struct Side {
        let name: String
        /// Builds the pipeline. Each event goes to `deliver`, serially; it is its intended send time.
        let open: (_ deliver: @escaping (UInt64) -> Void) -> Pipeline
    }

    /// A pipeline that is ready to receive events.
    struct Pipeline {
        /// Sends one event. From any producer's thread.
        let send: (UInt64) -> Void
        /// Ends the pipeline after its last event. Once.
        let close: () -> Void
    }

    let area: Area
    let name: String
    let producers: Int
    /// Threads that deliver, beside the producers.
    let consumers: Int
    let ours: Side
    let peers: [Side]
    /// The most megabytes of resident memory that ours may take at any rate; nil for a row that only informs.
    let memoryLimit: Double?
    /// Nanoseconds of schedule at each rate.
    let span: UInt64
    let rounds: Int

    /// The offered rates, as multiples of the side's capacity.
    static let rates = [0.5, 0.8, 1.0, 1.2, 1.5, 2.0]
}
