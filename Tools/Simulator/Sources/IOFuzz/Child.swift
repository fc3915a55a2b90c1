// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxIOUring
import RxSwift

/// The process of one program.
enum Child {
    /// The number of calls of `IOHooks.sendRejectedHandler`.
    nonisolated(unsafe) static var reports = 0

    /// Runs a program, prints its outcome, and ends the process: with 0, or `RX_SIM_FOUND` if a fault was seen.
    static func run(_ request: rx_sim_request) -> Never {
        let without = withUnsafeBytes(of: request.without) {
            Set($0.bindMemory(to: UInt16.self).prefix(Int(request.count)).map(Int.init))
        }
        let family = ProgramFamily(rawValue: request.family)!
        let program = family.program(seed: request.seed).without(without)
        let folder = withUnsafeBytes(of: request.folder) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        IOHooks.noticeHandler = { _ in }
        IOHooks.sendRejectedHandler = { _, _ in reports += 1 }
        Hooks.workRejectedHandler = { _, _ in }
        SimulatedDeputies.prepare()
        // The first use of a global object must not be cut in two: a thread that waits for its end would not give the turn away.
        _ = EmptyUpstream.instance
        // Half of the programs have the contents of freed memory destroyed, half of them intact: each finds faults that the other one hides.
        if program.seed % 2 == 0 { rx_sim_destroy_freed_memory() }
        rx_sim_trace(request.traces)
        rx_sim_begin(program.seed)
        let descriptors = descriptorCount()
        let objects = Resources.total
        var faults = execute(program, folder)
        let end = rx_sim_now() + 5_000_000_000
        var left = (descriptors: 0, objects: 0)
        repeat {
            rx_sim_sleep(1_000_000)
            // Counted once: a loop's end counts each recycled action for a moment while it releases it.
            left = (descriptorCount() - descriptors, Int(Resources.total) - Int(objects))
        } while (left.descriptors > 0 || left.objects > 0) && rx_sim_now() < end
        if left.descriptors > 0 { faults.append("\(left.descriptors) descriptors are left") }
        if left.objects > 0 { faults.append("objects are left: \(Resources.census())") }
        let hash = rx_sim_end()
        for fault in faults { print(fault) }
        print("trace \(String(hash, radix: 16)) of \(rx_sim_steps()) steps")
        fflush(stdout)
        _exit(faults.isEmpty ? 0 : CInt(RX_SIM_FOUND.rawValue))
    }

    @inline(never)
    private static func execute(_ program: any RandomProgram, _ folder: String) -> [String] {
        program.execute(in: folder)
    }

    private static func descriptorCount() -> Int {
        (0..<256).reduce(0) { $0 + (fcntl(CInt($1), F_GETFD) >= 0 ? 1 : 0) }
    }
}
