// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc

// The module's files call these where threads wait or start. Declared in the module, they take the place of the imported ones.

/// The global queue, each of whose pieces of work has a thread.
enum DispatchQueue {
    struct Global {
        func async(_ body: @escaping () -> Void) {
            let box = Unmanaged.passRetained(Body(body))
            let status = rx_sim_start(
                { argument in
                    Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                    return nil
                }, box.toOpaque(), false)
            if status != 0 { rx_sim_fail("there are more threads than the simulator has room for") }
        }
    }

    private final class Body {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    static func global() -> Global { Global() }
}

@discardableResult
func usleep(_ microseconds: UInt32) -> Int32 {
    rx_sim_sleep(UInt64(microseconds) * 1_000)
    return 0
}

// The names are the system's.
// swift-format-ignore: AlwaysUseLowerCamelCase
func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    rx_sim_start(body, argument, true)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func rx_poll(_ entries: UnsafeMutablePointer<pollfd>, _ count: UInt32, _ nanoseconds: Int64) -> Int32 {
    rx_sim_poll(entries, count, nanoseconds)
}
