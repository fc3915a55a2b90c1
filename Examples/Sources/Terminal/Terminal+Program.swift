// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
public import RxIOUring

extension Terminal {
    /// The terminal of a program, which ends with a sentence and exit code 2 where there is none.
    public static func open(scheduler: IOUringScheduler) throws -> Terminal {
        do {
            return try Terminal(scheduler: scheduler)
        } catch let error as TerminalError {
            let sentence = Array("\(error)\n".utf8)
            _ = write(STDERR_FILENO, sentence, sentence.count)
            throw ExitCode(2)
        }
    }
}

extension Terminal.Outcome {
    /// The result. Without one, the program ends with the exit code that a shell gives to the signal: 130 for SIGINT.
    public func get() throws -> Result {
        switch self {
        case .result(let result): return result
        case .signal(let number): throw ExitCode(128 + number)
        }
    }
}
