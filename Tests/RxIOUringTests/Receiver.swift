// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport

/// Subscribes to a sequence, keeps its elements, and waits for its end.
final class Receiver<Element>: @unchecked Sendable {
    private let lock = Mutex()
    /// Under the lock.
    private var received: [Element] = []
    private var failure: (any Error)?
    private var hasCompleted = false
    private let ended = OneShot()
    private let subscription = SingleAssignmentDisposable()

    var elements: [Element] { lock.withLock { received } }
    var error: (any Error)? { lock.withLock { failure } }
    var isCompleted: Bool { lock.withLock { hasCompleted } }

    /// - Parameter keep: called with each element; returns true to keep it.
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

    /// Returns the elements since the last call, and releases them.
    func take() -> [Element] {
        lock.withLock {
            let taken = received
            received = []
            return taken
        }
    }
}

extension Observable<ByteChunk> {
    /// A receiver of the bytes, which keeps none of the stream's memory.
    func received() -> Receiver<[UInt8]> { Receiver(map { $0.withUnsafeBytes { Array($0) } }) }
}

extension Receiver<[UInt8]> {
    /// The bytes of all elements.
    var bytes: [UInt8] { elements.flatMap { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
