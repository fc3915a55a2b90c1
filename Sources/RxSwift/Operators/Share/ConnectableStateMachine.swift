// SPDX-License-Identifier: Apache-2.0

/// Decides which subject and which connection a connectable sequence has.
///
/// Methods return the objects that they drop, so that the caller releases them outside its lock. Connections are plain objects
/// here, as in `ShareStateMachine`.
package struct ConnectableStateMachine<Subject> {
    private(set) var connection: AnyObject?
    /// The subject in use, if there is one.
    private var subject: Subject?
    /// The number of subjects so far, which is the number of the one in use.
    private var number = 0

    package init() {}

    /// Takes a new subject into use, unless there is one by now.
    package mutating func adopt(_ made: Subject) -> (subject: Subject, number: Int) {
        if let current { return current }
        subject = made
        number += 1
        return (made, number)
    }

    /// The subject in use and its number, if there is one.
    package var current: (subject: Subject, number: Int)? { subject.map { ($0, number) } }

    /// The subject of this number, unless it is out of use, and its connection, if there is one.
    package func subject(_ number: Int) -> (subject: Subject?, connection: AnyObject?) {
        number == self.number ? (subject, connection) : (nil, nil)
    }

    package enum Outcome {
        /// The candidate is now the connection; the caller subscribes it to the source.
        case connected
        /// Another connection is in use, which the caller gets.
        case existing(AnyObject)
        /// The candidate was made for a subject that is no longer in use.
        case stale
    }

    /// - Parameter number: the subject that the candidate was made for.
    package mutating func connect(_ candidate: AnyObject, ofSubject number: Int) -> Outcome {
        guard subject != nil, number == self.number else { return .stale }
        if let connection { return .existing(connection) }
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
