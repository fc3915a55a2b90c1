import Foundation
import RxPrimitives

extension Laws {
    /// Runs bodies on threads of their own that start together, and waits for them.
    ///
    /// They meet spinning: a thread that is merely woken comes 25 microseconds late and overlaps with nobody.
    static func race(_ bodies: [@Sendable () -> Void]) {
        let missing = AtomicWord(UInt(bodies.count))
        let finished = DispatchGroup()
        for body in bodies {
            finished.enter()
            Thread.detachNewThread {
                _ = missing.fetchAdd(0 &- 1)
                while missing.loadAcquiring() != 0 {}
                body()
                finished.leave()
            }
        }
        finished.wait()
    }

    /// Runs a body on a thread with a stack of 8 MiB (law L8), and waits for what it returns.
    ///
    /// Expectations belong outside: on another thread a failure would not name its test.
    static func onEightMebibytes<Result>(_ body: @escaping @Sendable () -> Result) -> Result {
        let finished = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: Result?
        let thread = Thread {
            result = body()
            finished.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        finished.wait()
        return result!
    }

    /// A number of steps for release builds, fewer for debug builds, whose frames are larger and whose code is slow.
    static func steps(_ release: Int, debug: Int) -> Int {
        #if DEBUG
            debug
        #else
            release
        #endif
    }
}
