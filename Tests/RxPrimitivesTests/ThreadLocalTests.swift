// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxPrimitives
import Testing

@Suite struct ThreadLocalTests {
    /// Sums of the destroyed pointers, static because the function that destroys a slot cannot capture.
    private static let destroyed = AtomicWord(0)
    private static let remade = AtomicWord(0)

    private func runThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.start()
        while !thread.isFinished { usleep(1_000) }
        // The system destroys the slots of a thread after that.
        usleep(50_000)
    }

    @Test("Each thread has a pointer of its own, which is destroyed at its end") func ownPointer() {
        let before = ThreadSlot.poolWorker.pointer
        let start = Self.destroyed.loadAcquiring()
        runThread {
            #expect(ThreadSlot.poolWorker.pointer == nil)
            ThreadSlot.poolWorker.set(UnsafeMutableRawPointer(bitPattern: 0x10)) { pointer in
                _ = ThreadLocalTests.destroyed.fetchAdd(UInt(bitPattern: pointer))
            }
            #expect(ThreadSlot.poolWorker.pointer == UnsafeMutableRawPointer(bitPattern: 0x10))
        }
        #expect(Self.destroyed.loadAcquiring() == start + 0x10)
        #expect(ThreadSlot.poolWorker.pointer == before)
    }

    @Test("A pointer stored while the thread ends is destroyed too") func storedAtEnd() {
        runThread {
            ThreadSlot.poolWorker.set(UnsafeMutableRawPointer(bitPattern: 0x10)) { _ in
                ThreadSlot.poolWorker.set(UnsafeMutableRawPointer(bitPattern: 0x20)) { pointer in
                    ThreadLocalTests.remade.storeReleasing(UInt(bitPattern: pointer))
                }
            }
        }
        #expect(Self.remade.loadAcquiring() == 0x20)
    }

    @Test("A removed pointer is not destroyed") func removedPointer() {
        let start = Self.destroyed.loadAcquiring()
        runThread {
            ThreadSlot.poolWorker.set(UnsafeMutableRawPointer(bitPattern: 0x1000)) { _ in
                _ = ThreadLocalTests.destroyed.fetchAdd(0x1000)
            }
            ThreadSlot.poolWorker.set(nil)
        }
        #expect(Self.destroyed.loadAcquiring() & 0x1000 == start & 0x1000)
    }
}
