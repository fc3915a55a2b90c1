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
}
