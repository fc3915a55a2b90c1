// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#endif

// The functions of the system by which the module's files wait or start threads. Declared in the module, these take the place of the imported
// ones.

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
