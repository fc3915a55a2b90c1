/// Decides which subject and which connection a connectable sequence has.
///
/// Methods return what they give up, so that the caller releases it outside its lock.
package struct ConnectionState<Subject, Connection: AnyObject> {
    private(set) var connection: Connection?
    private var subject: Subject?
    /// Counts the subjects, so that a connection made for a former one is noticed.
    private var generation = 0

    /// The subject in use, if there is one.
    package var current: (subject: Subject, generation: Int)? {
        subject.map { ($0, generation) }
    }

    package init() {}

    /// Takes a new subject into use, unless there is one by now.
    package mutating func adopt(_ made: Subject) -> (subject: Subject, generation: Int) {
        if let subject { return (subject, generation) }
        subject = made
        generation += 1
        return (made, generation)
    }

    package enum Outcome {
        /// The candidate is the connection: subscribe it to the source.
        case connected
        /// There is a connection already.
        case existing(Connection)
        /// The candidate was made for a subject which is not in use any more: make another.
        case stale
    }

    /// - Parameter generation: of the subject that the candidate was made for.
    package mutating func connect(_ candidate: Connection, generation: Int) -> Outcome {
        if let connection { return .existing(connection) }
        guard subject != nil, generation == self.generation else { return .stale }
        connection = candidate
        return .connected
    }

    /// The connection has ended: the next one gets a new subject. Does nothing if it is not the current one.
    package mutating func end(_ ended: Connection) -> (Connection, Subject)? {
        guard let connection, connection === ended, let subject else { return nil }
        self.connection = nil
        self.subject = nil
        return (connection, subject)
    }
}
