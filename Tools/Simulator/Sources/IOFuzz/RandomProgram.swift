// SPDX-License-Identifier: Apache-2.0

/// A program that follows from a seed.
protocol RandomProgram {
    var seed: UInt64 { get }

    /// The number of steps in all lanes.
    var size: Int { get }

    /// True if the kernel's TCP, which has threads of its own, is used.
    var usesTCP: Bool { get }

    /// What is printed of it.
    var text: String { get }

    /// The program without the steps of these numbers, counted through all lanes.
    func without(_ numbers: Set<Int>) -> Self

    /// Executes it in a simulation.
    ///
    /// - Parameter folder: for its files; empty.
    /// - Returns: a sentence for each fault that was seen.
    func execute(in folder: String) -> [String]
}

/// The families of random programs.
enum ProgramFamily: UInt32 {
    /// Transfers of which a model says what has to arrive.
    case streams
    /// Any call on any handle, of which each sequence has to end once, and nothing must be left.
    case handles

    func program(seed: UInt64) -> any RandomProgram {
        switch self {
        case .streams: Program(seed: seed)
        case .handles: HandleProgram(seed: seed)
        }
    }
}

extension Array {
    /// The steps of each lane without those of these numbers, counted through all lanes.
    func removing<Step>(_ numbers: Set<Int>) -> [[Step]] where Element == [Step] {
        var number = -1
        return map { steps in
            steps.filter { _ in
                number += 1
                return !numbers.contains(number)
            }
        }
    }
}
