// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxPrimitives
import RxSwift
import Testing

/// The backends on which tests run: those of users, and the simulated one with faults that lose nothing.
enum Backend: Hashable, Sendable, CustomTestStringConvertible {
    case uring, epoll, simulated

    /// All of them, or those that the environment variable `RX_TEST_BACKENDS` names.
    static let built = (IOUringScheduler.Backend.built.map(Backend.init) + [simulated]).filter {
        wanted?.contains($0.name) ?? true
    }

    /// Those that fail only when the system does.
    static let withoutFaults = built.filter { $0 != .simulated }

    private static let wanted = ProcessInfo.processInfo.environment["RX_TEST_BACKENDS"]?.split(separator: ",")
        .map(String.init)

    private var name: String { self == .simulated ? "simulated" : kind.rawValue }

    /// The seed of simulated loops: the environment variable `RX_IO_SEED`, or a fixed one. `Tools/rx-fuzz --io` tries others.
    static let simulation: Simulation = {
        let wanted = ProcessInfo.processInfo.environment["RX_IO_SEED"].flatMap(UInt64.init)
        return Simulation(seed: wanted ?? 106_708_077)
    }()

    init(_ kind: IOUringScheduler.Backend) {
        switch kind {
        case .uring: self = .uring
        case .epoll: self = .epoll
        }
    }

    /// The kind that loops of this backend report.
    var kind: IOUringScheduler.Backend { self == .uring ? .uring : .epoll }

    /// The number of descriptors that a loop of this backend has.
    var descriptorCount: Int { self == .simulated ? 1 : 2 }

    /// The value of `RX_IO_BACKEND` for loops of a child process.
    var variable: String { self == .simulated ? "simulated:\(Backend.simulation.seed)" : kind.rawValue }

    var testDescription: String {
        self == .simulated ? "\(name), RX_IO_SEED=\(Backend.simulation.seed)" : name
    }
}

extension IOUringScheduler.Configuration {
    init(
        name: String = "rx.io", spin: IOUringScheduler.Spin = .none, processor: Int? = nil, backend: Backend,
        submissions: UInt32 = 256, completions: UInt32 = 4096
    ) {
        self.init(
            name: name, spin: spin, processor: processor, backend: backend.kind, submissions: submissions,
            completions: completions)
        simulation = backend == .simulated ? Backend.simulation : nil
    }
}

extension IOUringScheduler {
    convenience init(
        name: String = "rx.io", spin: Spin = .none, processor: Int? = nil, backend: RxIOUringTests.Backend,
        stallLimit: RxTimeInterval? = nil
    ) {
        var configuration = Configuration(name: name, spin: spin, processor: processor, backend: backend)
        configuration.stallLimit = stallLimit.map { UInt64($0.nanosecondsClamped) }
        self.init(configuration)
    }
}

extension IOUringSchedulerGroup {
    convenience init(
        count: Int? = nil, name: String = "rx.io", pinned: Bool = false, backend: Backend,
        stallLimit: RxTimeInterval? = nil
    ) {
        guard backend == .simulated else {
            self.init(count: count, name: name, pinned: pinned, backend: backend.kind, stallLimit: stallLimit)
            return
        }
        let processors = UsableProcessors.numbers()
        let count = count ?? UsableProcessors.count(of: processors, quota: nil)
        self.init(
            (0..<count).map { number in
                IOUringScheduler(
                    name: "\(name).\(number)", processor: pinned ? processors[number % processors.count] : nil,
                    backend: backend, stallLimit: stallLimit)
            })
    }
}
