// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxPrimitives

/// All loops whose threads run, by number, and the loop of the calling thread.
enum LoopRegistry {
    private static let lock = Mutex()
    /// The loops by tag, under the lock. A timer that is disposed of on another thread finds its loop here: a reference to it
    /// would cost each timer a word.
    @exclusivity(unchecked) nonisolated(unsafe) private static var loops: [UInt32: EventLoop] = [:]
    @exclusivity(unchecked) nonisolated(unsafe) private static var lastTag: UInt32 = 0

    /// The error for which this process can have no loops; nil if it can.
    static let failure: SystemError? = {
        if keyResult.status != 0 { return SystemError(code: keyResult.status, operation: "pthread_key_create") }
        return watchesForks == 0 ? nil : SystemError(code: watchesForks, operation: "pthread_atfork")
    }()

    private static let keyResult: (key: pthread_key_t, status: CInt) = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        return (key, status)
    }()

    private static var key: pthread_key_t? { keyResult.status == 0 ? keyResult.key : nil }

    /// A number that no loop has.
    static func newTag() -> UInt32 {
        lock.withLock {
            repeat { lastTag &+= 1 } while lastTag == 0 || loops[lastTag] != nil
            return lastTag
        }
    }

    /// Tells the loops of a forked process that their threads are missing, before any thread can submit work to them.
    ///
    /// The lock is held during the fork: another thread that held it would be missing in the child, and never release it.
    ///
    /// The value is 0, or the errno for which forks are not watched.
    private static let watchesForks: CInt = {
        pthread_atfork({ lock.lock() }, { lock.unlock() }) {
            for loop in loops.values { loop.wasForked() }
            lock.unlock()
        }
    }()

    static func add(_ loop: EventLoop) {
        _ = watchesForks
        lock.withLock { loops[loop.tag] = loop }
    }

    static func remove(_ loop: EventLoop) {
        // Released outside the lock.
        let removed = lock.withLock { loops.removeValue(forKey: loop.tag) }
        withExtendedLifetime(removed) {}
    }

    /// The loop of that number, unless its thread has ended.
    static func loop(_ tag: UInt32) -> EventLoop? {
        lock.withLock { loops[tag] }
    }

    /// The loop whose thread is calling, without counting a reference.
    static var current: Unmanaged<EventLoop>? {
        key.flatMap { pthread_getspecific($0) }.map { .fromOpaque($0) }
    }

    static func setCurrent(_ loop: EventLoop?) {
        guard let key else { return }
        pthread_setspecific(key, loop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    }
}
