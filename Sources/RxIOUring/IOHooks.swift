import Glibc
import RxPrimitives
import RxSwift

/// Where event loops report what has nowhere else to go.
///
/// Handlers are called on the thread on which the thing happened. They may be replaced at any time, from any thread.
public enum IOHooks {
    /// Receives a sentence about something that goes otherwise than it was meant to: a loop uses epoll, or could not be pinned; a
    /// stream waits for memory; a listener is out of descriptors; bytes or files were dropped.
    public typealias NoticeHandler = (_ notice: String) -> Void

    /// Called with a notice; for what concerns all loops, once in the life of the process. By default prints to standard
    /// error in debug builds.
    public static var noticeHandler: NoticeHandler {
        get { notice.value }
        set { notice.value = newValue }
    }

    private static let notice = LockedBox<NoticeHandler>({ notice in
        #if DEBUG
            fputs("swift-rx: \(notice)\n", stderr)
        #endif
    })

    /// What is reported once only.
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
    /// Receives what was rejected, and how many bytes that were.
    public typealias SendRejectedHandler = (_ error: IOError, _ bytes: Int) -> Void

    /// Called with what will not be sent: too much is queued, as with a peer that does not read (`ENOBUFS`); a send of another
    /// thread came behind `shutdownOutput` (`EPIPE`); the system rejected a datagram, or its socket was closed. On the
    /// sending thread where `send` returns false, else on the loop's. By default prints to standard error in debug builds.
    public static var sendRejectedHandler: SendRejectedHandler {
        get { sendRejected.value }
        set { sendRejected.value = newValue }
    }

    @available(*, deprecated, renamed: "sendRejectedHandler")
    public static var sendRefusedHandler: SendRejectedHandler {
        get { sendRejectedHandler }
        set { sendRejectedHandler = newValue }
    }

    private static let sendRejected = LockedBox<SendRejectedHandler>({ error, bytes in
        #if DEBUG
            fputs("swift-rx: \(bytes) bytes were not sent: \(error)\n", stderr)
        #endif
    })

    static func reportRejectedSend(_ error: IOError, _ bytes: Int) { sendRejectedHandler(error, bytes) }
}
