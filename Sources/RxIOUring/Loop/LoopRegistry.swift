import Glibc
import RxPrimitives

/// All loops whose threads run, by number, and the loop of the calling thread.
enum LoopRegistry {
    private static let lock = Mutex()
    /// The loops by tag, under the lock. A timer that is disposed of on another thread finds its loop here: a reference to it
    /// would cost each timer a word.
    @exclusivity(unchecked) nonisolated(unsafe) private static var loops: [UInt32: EventLoop] = [:]
    @exclusivity(unchecked) nonisolated(unsafe) private static var lastTag: UInt32 = 0

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        if status != 0 {
            fatalError("swift-rx: no thread-specific key is left for event loops (pthread_key_create: \(status))")
        }
        return key
    }()

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
    private static let watchesForks: Void = {
        let status = pthread_atfork({ lock.lock() }, { lock.unlock() }) {
            for loop in loops.values { loop.wasForked() }
            lock.unlock()
        }
        if status != 0 { fatalError("swift-rx: no memory to watch for forks (pthread_atfork: \(status))") }
    }()

    static func add(_ loop: EventLoop) {
        watchesForks
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
        pthread_getspecific(key).map { .fromOpaque($0) }
    }

    static func setCurrent(_ loop: EventLoop?) {
        pthread_setspecific(key, loop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    }
}
