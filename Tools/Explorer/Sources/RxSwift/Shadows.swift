// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#endif

// The functions of the system and of Dispatch by which the module's files wait or start threads. Declared in the module, these take the place
// of the imported ones.

/// The semaphore, with as many threads that wait at once as the scenario has.
final class DispatchSemaphore {
    /// One for each signal that has come, and the waiters.
    private let lock = Lock()
    private var value: Int
    private var waiters: [Parker] = []

    init(value: Int) { self.value = value }

    func signal() {
        let waiter = lock.withLock { () -> Parker? in
            if waiters.isEmpty {
                value += 1
                return nil
            }
            return waiters.removeFirst()
        }
        waiter?.unpark()
    }

    func wait() {
        let parker = lock.withLock { () -> Parker? in
            if value > 0 {
                value -= 1
                return nil
            }
            let parker = Parker()
            waiters.append(parker)
            return parker
        }
        parker?.park(until: .max)
    }
}

/// The group, for one that is entered once.
final class DispatchGroup {
    private let parker = Parker()

    func enter() {}

    func leave() { parker.unpark() }

    func wait() {
        parker.park(until: .max)
        parker.unpark()
    }
}

// The name is the system's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@discardableResult
func sched_yield() -> Int32 {
    rxScenarioYield()
    return 0
}

// The name is the system's.
// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    if !ScenarioDeputies.startsThread() { return EAGAIN }
    rxScenarioStart(body, argument)
    return 0
}

@_silgen_name("rx_model_yield")
private func rxScenarioYield()

@_silgen_name("rx_model_start")
private func rxScenarioStart(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?)
