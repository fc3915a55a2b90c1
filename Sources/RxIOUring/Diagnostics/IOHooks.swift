// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives
import RxSwift

/// Hooks by which event loops report events that have no observer.
///
/// Handlers are called on the thread on which the thing happened. They may be replaced at any time, from any thread.
public enum IOHooks {
    /// Receives a sentence about an unexpected event.
    ///
    /// Examples: a loop uses epoll, or could not be pinned; a listener is out of descriptors; bytes or
    /// files were dropped.
    public typealias NoticeHandler = (_ notice: String) -> Void

    /// Called with a notice; for notices that concern all loops, once in the life of the process.
    ///
    /// By default prints to standard error in debug builds.
    public static var noticeHandler: NoticeHandler {
        get { notice.value }
        set { notice.value = newValue }
    }

    private static let notice = LockedBox<NoticeHandler>({ notice in
        #if DEBUG
            fputs("swift-rx: \(notice)\n", stderr)
        #endif
    })

    /// Topics that are reported only once in the life of the process.
    enum Topic: UInt {
        case fallback = 1
        case variable = 2
    }

    /// The topics that were reported, as bits.
    private static let reported = AtomicWord(0)

    static func report(_ text: String) { noticeHandler(text) }

    static func reportOnce(_ topic: Topic, _ text: String) {
        while true {
            let known = reported.loadRelaxed()
            if known & topic.rawValue != 0 { return }
            if reported.compareExchange(known, known | topic.rawValue) { return report(text) }
        }
    }
}

extension IOHooks {
    /// Receives the error for which bytes were rejected, and their number.
    public typealias SendRejectedHandler = (_ error: IOError, _ bytes: Int) -> Void

    /// Called with the number of bytes that will not be sent.
    ///
    /// Possible causes: too much is queued, as with a peer that does not read (`ENOBUFS`); a send of another thread came after
    /// `shutdownOutput` (`EPIPE`); the system rejected a datagram, or its socket was closed. Called on the sending thread where
    /// `send` returns false, else on the loop thread. By default prints to standard error: each error in debug builds, and in release
    /// builds the first `ENOBUFS` of the process.
    public static var sendRejectedHandler: SendRejectedHandler {
        get { sendRejected.value }
        set { sendRejected.value = newValue }
    }

    /// The former name of `sendRejectedHandler`.
    @available(*, deprecated, renamed: "sendRejectedHandler")
    public static var sendRefusedHandler: SendRejectedHandler {
        get { sendRejectedHandler }
        set { sendRejectedHandler = newValue }
    }

    /// 1 once the default handler of a release build has printed.
    private static let hasPrintedRejection = AtomicWord(0)

    private static let sendRejected = LockedBox<SendRejectedHandler>({ error, bytes in
        #if !DEBUG
            // A socket whose receiver is slow may reject thousands of datagrams a second.
            if error.code != ENOBUFS || hasPrintedRejection.exchange(1) != 0 { return }
        #endif
        fputs("swift-rx: \(bytes) bytes were not sent: \(error)\n", stderr)
    })

    static func reportRejectedSend(_ error: IOError, _ bytes: Int) { sendRejectedHandler(error, bytes) }
}

extension IOHooks {
    /// Receives a stall of an event loop.
    public typealias StallHandler = (_ stall: LoopStall) -> Void

    /// Called when a turn of a loop takes longer than its scheduler's `stallLimit`: once while it lasts, and again when it has ended.
    ///
    /// A turn that ends before the detector looks at it is reported only then, without a stack. By default prints to standard error, in release
    /// builds, too. Called on the detector's thread, which holds no lock: the handler may use the library, end loops and start others. While it
    /// runs no other stall is looked at; if several stalls of one loop end meanwhile, the last of them is reported.
    ///
    /// The stack is taken by a signal to the loop thread, a real-time signal that the program has not used when the first loop with a limit
    /// starts, one per stall. A system call that the thread is waiting in is restarted, or fails with `EINTR` if it is of those that never are,
    /// such as `nanosleep` and `poll`.
    public static var stallHandler: StallHandler {
        get { stall.value }
        set { stall.value = newValue }
    }

    private static let stall = LockedBox<StallHandler>({ stall in
        fputs("swift-rx: \(stall)\n", stderr)
    })
}
