/// Decides which subject and which connection a connectable sequence has.
///
/// Methods return what they give up, so that the caller releases it outside its lock. Connections are plain objects here, as in
/// `ShareStateMachine`.
package struct ConnectionStateMachine<Subject> {
    private(set) var connection: AnyObject?
    /// The subject in use, if there is one.
    package private(set) var subject: Subject?
    /// Counts the subjects, so that a connection made for a former one is noticed.
    private(set) var generation = 0

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
        case existing(AnyObject)
        /// The candidate was made for a subject which is not in use any more: make another.
        case stale
    }

    /// - Parameter generation: of the subject that the candidate was made for.
    package mutating func connect(_ candidate: AnyObject, generation: Int) -> Outcome {
        if let connection { return .existing(connection) }
        guard subject != nil, generation == self.generation else { return .stale }
        connection = candidate
        return .connected
    }

    /// The connection, which the caller holds, has ended: the next one gets a new subject. Does nothing if it is not the current one.
    ///
    /// - Returns: the subject that it had.
    package mutating func end(_ ended: AnyObject) -> Subject? {
        guard connection === ended else { return nil }
        connection = nil
        return subject.take()
    }
}
