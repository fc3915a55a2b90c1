// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxPrimitives

// The module's files call these where threads wait or start. Declared in the module, they take the place of the imported ones.

// The names are the system's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@discardableResult
func sched_yield() -> Int32 {
    rx_sim_point()
    return 0
}

@discardableResult
func usleep(_ microseconds: UInt32) -> Int32 {
    rx_sim_sleep(UInt64(microseconds) * 1_000)
    return 0
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    rx_sim_start(body, argument, true)
}

package enum SimulatedDeputies {
    /// Makes the pool of deputies, which belongs to an execution.
    package static func prepare() { DeputyPool.model = .passRetained(DeputyPool()) }
}

@discardableResult
func nanosleep(_ pause: UnsafePointer<timespec>, _ rest: UnsafeMutablePointer<timespec>?) -> Int32 {
    rx_sim_sleep(UInt64(pause.pointee.tv_sec) * 1_000_000_000 + UInt64(pause.pointee.tv_nsec))
    return 0
}
