import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport

/// Subscribes, keeps what comes, and waits for the end.
final class Receiver<Element>: @unchecked Sendable {
    private let lock = Lock()
    /// Under the lock.
    private var received: [Element] = []
    private var failure: (any Error)?
    private var hasCompleted = false
    private let ended = OneShot()
    private let subscription = SingleAssignmentDisposable()

    var elements: [Element] { lock.withLock { received } }
    var error: (any Error)? { lock.withLock { failure } }
    var isCompleted: Bool { lock.withLock { hasCompleted } }

    /// - Parameter keep: called with each element, which is kept if it returns true.
    init(_ source: Observable<Element>, keep: @escaping (Element) -> Bool = { _ in true }) {
        subscription.setDisposable(
            source.subscribe(
                onNext: { element in if keep(element) { self.lock.withLock { self.received.append(element) } } },
                onError: { error in self.lock.withLock { self.failure = error } },
                onCompleted: { self.lock.withLock { self.hasCompleted = true } }, onDisposed: ended.fire))
    }

    /// Returns whether the sequence has ended, or was disposed of, in time.
    func wait(seconds: Double = 30) -> Bool { ended.wait(seconds: seconds) }

    func dispose() { subscription.dispose() }

    /// Lets go of what came.
    func clear() {
        // Released outside the lock.
        let dropped = lock.withLock {
            let dropped = received
            received = []
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }
}

extension Receiver<ByteChunk> {
    /// All bytes that came, in one piece.
    var bytes: [UInt8] { elements.flatMap(Array.init) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
