import RxPrimitives

/// Whether a connection that is being made is still wanted.
///
/// Its subscribers may all leave while the source is being subscribed to. As in RxSwift (law L11) the source runs on until that has
/// been done, so that a short source ends properly; but not for ever: after a number of elements without a subscriber it is cancelled.
struct ConnectionDemand: ~Copyable {
    /// 0: wanted. Else 1 + the number of elements that came since it is not.
    private let unwanted = AtomicWord(0)

    private static let limit: UInt = 1_024

    /// The last subscriber has left.
    func end() { unwanted.storeRelaxed(1) }

    /// There is a subscriber again.
    func resume() {
        if !isWanted { unwanted.storeRelaxed(0) }
    }

    /// Whether elements are wanted.
    var isWanted: Bool {
        @inline(__always) get { unwanted.loadRelaxed() == 0 }
    }

    /// An element came that is not wanted. Returns whether the source is to be cancelled.
    @inline(never)
    func isExhausted() -> Bool {
        let count = unwanted.loadRelaxed()
        if count == 0 { return false }
        // Fails if another thread has just subscribed.
        _ = unwanted.compareExchange(count, count + 1)
        return count > ConnectionDemand.limit
    }
}

/// A connection to which is said whether it is wanted.
protocol DemandingConnection: AnyObject, Disposable {
    /// Detaches the connection from its connectable sequence, which takes a new subject for its next subscribers. `dispose()` follows.
    ///
    /// - Returns: what the caller releases, outside its locks.
    func retire() -> Any?

    /// Whether the source has ended, or the connection was disposed of.
    var hasEnded: Bool { get }

    /// Whether the source has sent its terminal event, of which subscribers may have yet to be told.
    var hasSourceEnded: Bool { get }

    func endDemand()
    func resumeDemand()
}

/// A connectable sequence of which the connection is known before it is made.
protocol PreparedConnectable: AnyObject {
    /// The connection there is, or a new one, which the caller has to `start`.
    func prepareConnection() -> (connection: any DemandingConnection, isNew: Bool)

    /// Whether the subject in use has ended, so that its subscribers get no more than it remembers.
    var hasSubjectEnded: Bool { get }

    /// Subscribes a new connection to the source.
    func start(_ connection: any DemandingConnection)
}
