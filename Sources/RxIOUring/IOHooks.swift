import Glibc
import RxPrimitives
import RxSwift

/// Where event loops report what has nowhere else to go.
///
/// Handlers are called on the thread on which the thing happened. They may be replaced at any time, from any thread.
public enum IOHooks {
    /// Receives a sentence about what a loop does otherwise than it was meant to: that it uses epoll, and why; that its
    /// thread could not be pinned.
    public typealias NoticeHandler = (_ notice: String) -> Void

    /// Called with a notice; for what concerns all loops, once in the life of the process. By default prints to standard
    /// error in debug builds.
    public static var noticeHandler: NoticeHandler {
        get { notice.value }
        set { notice.value = newValue }
    }

    private static let notice = Replaceable<NoticeHandler>({ notice in
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
    /// Receives what was refused, and how many bytes that were.
    public typealias SendRefusedHandler = (_ error: IOError, _ bytes: Int) -> Void

    /// Called when a send is refused because too much is queued already, as with a peer that does not read. On the sending
    /// thread. By default prints to standard error in debug builds.
    public static var sendRefusedHandler: SendRefusedHandler {
        get { sendRefused.value }
        set { sendRefused.value = newValue }
    }

    private static let sendRefused = Replaceable<SendRefusedHandler>({ error, bytes in
        #if DEBUG
            fputs("swift-rx: \(bytes) bytes were not sent: \(error)\n", stderr)
        #endif
    })

    static func reportRefusedSend(_ error: IOError, _ bytes: Int) { sendRefusedHandler(error, bytes) }
}
