// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct SimulationTests {
    @Test(
        "RX_IO_BACKEND names a seed, and whether operations may fail",
        arguments: [
            ("simulated:7", Simulation(seed: 7)), ("simulated:0:errors", Simulation(seed: 0, hasErrors: true)),
            ("simulated", nil), ("simulated:", nil), ("simulated:x", nil), ("simulated:7:", nil), ("epoll:7", nil),
        ] as [(String, Simulation?)])
    func parsing(_ text: String, _ expected: Simulation?) {
        #expect(Simulation(parsing: text) == expected)
    }

    @Test("A loop of a program that asks for a simulation by RX_IO_BACKEND delivers all bytes", arguments: 0..<8)
    func variable(_ seed: Int) {
        onLoop(.epoll) { scheduler in
            let output = Receiver(
                ChildProcess.output(
                    builtProgram("BackendProbe"), arguments: ["backend"],
                    environment: ["RX_IO_BACKEND": "simulated:\(seed)"], scheduler: scheduler
                ).asObservable())
            #expect(output.wait(seconds: 60))
            let lines = String(decoding: output.elements.first?.output ?? [], as: UTF8.self).split(separator: "\n")
            #expect(lines.filter { $0 == "backend epoll" }.count == 2)
            #expect(!lines.contains { $0.hasPrefix("notice") })
            #expect(lines.compactMap { $0.hasPrefix("read ") ? $0.dropFirst(5) : nil }.joined() == "hellohello")
        }
    }

    @Test("A simulated loop cuts transfers short, and loses nothing")
    func shortTransfers() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try onLoop(.simulated) { scheduler in
            let (readEnd, writeEnd) = try DescriptorStream.makePipe()
            let receiver = DescriptorStream.read(readEnd, closesWhenDone: true, chunkSize: 1_000, scheduler: scheduler)
                .received()
            let written = Receiver(
                DescriptorStream.write(
                    .just(ByteChunk(bytes)), to: writeEnd, closesWhenDone: true, scheduler: scheduler
                ).asObservable())
            #expect(receiver.wait() && receiver.isCompleted)
            #expect(written.wait() && written.isCompleted)
            #expect(difference(receiver.bytes, bytes) == nil)
            #expect(receiver.elements.contains { $0.count < 1_000 })
        }
    }

    @Test("A simulated loop with errors makes reads fail", arguments: [UInt64(1)])
    func errors(_ seed: UInt64) throws {
        var configuration = IOUringScheduler.Configuration(backend: .simulated)
        configuration.simulation = Simulation(seed: seed, hasErrors: true)
        onLoop(configuration) { scheduler in
            let receivers = (0..<200).map { _ in
                Receiver(File.read("/proc/self/exe", chunkSize: 4_000, scheduler: scheduler).take(10).map(\.count))
            }
            for receiver in receivers { #expect(receiver.wait()) }
            let codes = Set(receivers.compactMap { ($0.error as? IOError)?.code })
            #expect(codes == [EIO])
            #expect(receivers.contains { $0.isCompleted })
        }
    }
}
