import RxPrimitives
import Testing

@Suite struct LocksTests {
    private final class Shared: @unchecked Sendable {
        let spin = SpinLock()
        let lock = Lock()
        var underSpin = 0
        var underLock = 0
    }

    @Test func oneAtATime() {
        let shared = Shared()
        onThreads(4) { _ in
            for _ in 0..<20_000 {
                shared.spin.lock()
                shared.underSpin += 1
                shared.spin.unlock()
                shared.lock.lock()
                shared.underLock += 1
                shared.lock.unlock()
                shared.spin.withLock { shared.underSpin -= 1 }
                shared.lock.withLock { shared.underLock -= 1 }
            }
        }
        #expect(shared.underSpin == 0 && shared.underLock == 0)
    }

    @Test func unlockedAfterAThrow() {
        struct Thrown: Error {}
        let shared = Shared()
        for _ in 0..<2 {
            #expect(throws: Thrown.self) { try shared.spin.withLock { throw Thrown() } }
            #expect(throws: Thrown.self) { try shared.lock.withLock { throw Thrown() } }
        }
    }

    private final class Holder: @unchecked Sendable {
        final class Value {
            var number = 1
            deinit { number = 0 }
        }

        let spin = SpinLock()
        @exclusivity(unchecked) var value: Value? = Value()

        /// As an alarm reads whom to wake.
        @inline(never)
        func read() -> Int {
            spin.lock()
            let value = self.value
            spin.unlock()
            return value?.number ?? 1
        }

        @inline(never)
        func replace() {
            var new: Value? = Value()
            spin.withLock { swap(&new, &value) }
        }
    }

    /// The race: one thread copies a reference under the lock, another one takes it out and lets the object go. Were the copy counted
    /// after the lock was released (the compiler moves that past an atomic store), the object would be gone by then.
    @Test func aReferenceCopiedUnderTheLockIsCountedUnderTheLock() {
        let holder = Holder()
        let wrong = AtomicWord(0)
        onThreads(2) { thread in
            for _ in 0..<2_000_000 {
                if thread == 0 {
                    holder.replace()
                } else if holder.read() != 1 {
                    _ = wrong.fetchAdd(1)
                }
            }
        }
        #expect(wrong.loadRelaxed() == 0)
    }
}
