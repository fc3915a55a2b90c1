// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift

/// One end of a connection, and what the model knows of it.
///
/// One thread of a simulation runs at a time, and threads change only where the library uses atomics or locks. So the state needs no lock.
final class End: @unchecked Sendable {
    enum Ending {
        case shutdownOutput, close, abort, release
        case loop(drains: Bool)
    }

    struct Send {
        let size: Int
        /// Nil while it is not known.
        var isAccepted: Bool?
        /// The moment at which that was known.
        var moment = Int.max
    }

    let number: Int
    let link: Program.Link
    let loop: Int
    let consumer: Program.Consumer
    /// Nil before it is connected, and once it was released.
    var connection: Connection?
    let isConnected: Bool

    /// The sends of each lane, in order.
    var sends: [Int: [Send]] = [:]
    /// The lanes of the files that are written.
    var relays: [Int] = []
    private var writes = 0
    /// The first act by which the program ended the output, and its moment.
    private(set) var ending: (kind: Ending, moment: Int)?
    var wasAborted = false
    /// True once this side has closed the whole connection, or its loop has.
    private(set) var wantsNoInput = false
    /// True once the program has closed the connection, which comes to an end then.
    private(set) var wasClosed = false
    /// True once the loop ends without time to send.
    private(set) var isCutShort = false
    /// True once the program has disposed of the subscription.
    var isDisposed = false

    var parser = FrameParser()
    var subscription: (any Disposable)?
    var isSubscribed = false
    var inputEnd = StreamEnd()
    var closedEnd = StreamEnd()
    var writeEnds: [StreamEnd] = []

    init(_ number: Int, _ link: Program.Link, _ connection: Connection?) {
        self.number = number
        self.link = link
        self.connection = connection
        isConnected = connection != nil
        loop = link.loops[number % 2]
        consumer = link.consumers[number % 2]
    }

    func end(_ kind: Ending, at moment: Int) {
        if case .abort = kind { wasAborted = true }
        if case .close = kind { wasClosed = true }
        if case .loop(drains: false) = kind { isCutShort = true }
        if case .shutdownOutput = kind {} else { wantsNoInput = true }
        if ending == nil { ending = (kind, moment) }
    }

    var hasSent: Bool { !sends.isEmpty || consumer.isEcho }

    /// True if the other end sends back what this one sends.
    var isEchoedTo: Bool { link.consumers[(number + 1) % 2].isEcho }

    /// A lane of its own for a `write`.
    func newLane() -> Int {
        writes += 1
        return 9 + writes
    }

    func size(_ lane: Int, _ index: Int) -> Int? {
        guard let sends = sends[lane], index < sends.count, sends[index].isAccepted != false else { return nil }
        return sends[index].size
    }

    /// The number of frames of a lane that were accepted.
    func accepted(_ lane: Int) -> Int { sends[lane]!.prefix { $0.isAccepted == true }.count }

    /// The number of frames of a lane that were accepted for certain before the output was ended.
    func certain(_ lane: Int) -> Int {
        let end = ending?.moment ?? Int.max
        return sends[lane]!.prefix { $0.isAccepted == true && $0.moment < end }.count
    }

    /// True if the subscriber of the input has to see a terminal event. One behind a hop need not: its loop may have ended before. Nor need one
    /// that sends the bytes back: the output may end first.
    var mustEndInput: Bool {
        switch consumer {
        case .slow, .echo: false
        case .none, .direct: isSubscribed && !isDisposed
        }
    }

    /// True if all streams have ended.
    var isOver: Bool {
        !isConnected
            || closedEnd.isOver && (inputEnd.isOver || !mustEndInput)
                && writeEnds.allSatisfy { $0.isOver || $0.isDisposed }
    }

    /// True if more than the limit was queued, which ends the connection: a send was rejected before the output was ended, or a write.
    var hasOverflowed: Bool {
        let end = ending?.moment ?? .max
        return sends.values.contains { $0.contains { $0.isAccepted == false && $0.moment < end } }
            || (writeEnds + [inputEnd, closedEnd]).contains { ($0.errors.first as? IOError)?.code == ENOBUFS }
    }
}

/// The terminal events of a stream.
struct StreamEnd {
    var completions = 0
    var errors: [any Error] = []
    /// True if the program has disposed of the subscription.
    var isDisposed = false
    var isOver: Bool { count > 0 }
    var count: Int { completions + errors.count }
    var isClean: Bool { completions > 0 }
}
