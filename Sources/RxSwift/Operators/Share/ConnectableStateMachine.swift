// SPDX-License-Identifier: Apache-2.0

/// Decides which subject and which connection a connectable sequence has.
///
/// Methods return the objects that they drop, so that the caller releases them outside its lock. Connections are plain objects
/// here, as in `ShareStateMachine`.
package struct ConnectableStateMachine<Subject> {
    private(set) var connection: AnyObject?
    /// The subject in use, if there is one.
    package private(set) var subject: Subject?
    /// The number of subjects so far, to detect a connection that was made for a former one.
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
        /// The candidate is now the connection; the caller subscribes it to the source.
        case connected
        /// Another connection is in use, which the caller gets.
        case existing(AnyObject)
        /// The candidate was made for a subject that is no longer in use; the caller makes another.
        case stale
    }

    /// - Parameter generation: the generation of the subject that the candidate was made for.
    package mutating func connect(_ candidate: AnyObject, generation: Int) -> Outcome {
        if let connection { return .existing(connection) }
        guard subject != nil, generation == self.generation else { return .stale }
        connection = candidate
        return .connected
    }

    /// Ends a connection, which the caller holds, so that the next one gets a new subject. Does nothing if it is not the current one.
    ///
    /// - Returns: the subject of that connection.
    package mutating func end(_ ended: AnyObject) -> Subject? {
        guard connection === ended else { return nil }
        connection = nil
        return subject.take()
    }
}
