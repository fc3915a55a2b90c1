// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import RxPrimitives

/// The claim of a write on a path. Once the write was stopped, later writes to that path wait until the system has ended its work for it.
///
/// The system takes back no opening and no write that is under way. Without the claim, a write that follows a disposed one would find its
/// file emptied, cut off, or overwritten by that one. A write that was not stopped keeps no other waiting. Paths are compared by their
/// bytes, once normalized: two links to one file count as two files. Usable from any thread, on any loop.
final class WriteClaim: @unchecked Sendable {
    private static let lock = Mutex()
    // The lock protects all of the following.
    /// The claims of the writes under way, by path.
    nonisolated(unsafe) private static var claims: [File.Path: [WriteClaim]] = [:]
    private var isStopped = false
    /// The claims that wait for the end of this one.
    private var waiting: [WriteClaim] = []
    /// The number of claims that this one waits for, and the closure to call when there is none left.
    private var blockers = 0
    private var whenFree: (() -> Void)?

    private let path: File.Path
    /// The claims of a parent process are never released in a forked one, whose loops have no threads.
    private let forks = rx_forks()

    init(_ path: File.Path) { self.path = path.normalized }

    /// Keeps a claim until it is released, for all that may still change the file.
    final class Hold: Sendable {
        private let claim: WriteClaim

        fileprivate init(_ claim: WriteClaim) { self.claim = claim }

        deinit { claim.release() }
    }

    /// Claims the path, once.
    ///
    /// - Parameter open: called once on the loop, while the source runs and never within this call, if stopped writes to the path are still
    ///   under way.
    /// - Returns: the hold, and whether the caller may open the file at once.
    func begin<Element>(for source: LoopSource<Element>, _ open: @escaping () -> Void) -> (hold: Hold, mayOpen: Bool) {
        let whenFree = {
            source.loop.queue.submitExpress {
                if source.isRunning { open() }
            }
        }
        let mayOpen = WriteClaim.lock.withLock {
            let stopped = WriteClaim.claims[path]?.filter { $0.isStopped && $0.forks == forks } ?? []
            for claim in stopped { claim.waiting.append(self) }
            WriteClaim.claims[path, default: []].append(self)
            blockers = stopped.count
            if blockers > 0 { self.whenFree = whenFree }
            return blockers == 0
        }
        return (Hold(self), mayOpen)
    }

    /// Has later writes to the path wait for the end of this one.
    func stop() { WriteClaim.lock.withLock { isStopped = true } }

    private func release() {
        // Called and released outside the lock: the closures hold streams of users.
        let (free, unused) = WriteClaim.lock.withLock {
            WriteClaim.claims[path]?.removeAll { $0 === self }
            if WriteClaim.claims[path]?.isEmpty == true { WriteClaim.claims[path] = nil }
            if blockers > 0 {
                for claim in WriteClaim.claims[path] ?? [] { claim.waiting.removeAll { $0 === self } }
            }
            let free = waiting.compactMap { $0.removeBlocker() }
            waiting = []
            return (free, whenFree.take())
        }
        for whenFree in free { whenFree() }
        withExtendedLifetime(unused) {}
    }

    private func removeBlocker() -> (() -> Void)? {
        blockers -= 1
        return blockers == 0 ? whenFree.take() : nil
    }
}
