// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Glibc
public import RxSwift

extension ChildProcess {
    /// The output of a program, and the way it has ended.
    public struct Output: Equatable, Sendable {
        /// The status with which it has ended by itself; nil if a signal has ended it.
        public var status: CInt?
        /// The signal that has ended it, or nil.
        public var signal: CInt?
        /// The bytes that the program has written to standard output.
        public var output: [UInt8] = []
        /// The bytes that the program has written to standard error.
        public var errorOutput: [UInt8] = []
    }

    /// Runs a program to its end, and collects its output.
    ///
    /// Processes that the program has started and that outlive it are not waited for, and what they write later is not collected. Have a shell
    /// `wait` for its background jobs.
    /// - Parameters:
    ///   - executable: a path, or a name without a slash, which is searched for in `PATH`.
    ///   - arguments: without the name of the program.
    ///   - environment: nil: that of this process.
    ///   - workingDirectory: nil: that of this process.
    ///   - input: see `run`.
    ///   - limit: the number of bytes of output and error output together that are collected, at most.
    ///   - whenDisposed: see `run`.
    ///   - scheduler: the event loop that emits the result on its thread.
    /// - Returns: the output, with any status. Fails as `run` does, and with an `IOError` of `EMSGSIZE` if the program
    ///   writes more than `limit`; it is then ended as by a dispose.
    public static func output(
        _ executable: String, arguments: [String] = [], environment: [String: String]? = nil,
        workingDirectory: String? = nil, input: Observable<ByteChunk>? = nil, limit: Int = 16 << 20,
        whenDisposed: Disposal = .terminate(grace: .seconds(5)), scheduler: IOUringScheduler
    ) -> Single<Output> {
        Observable.deferred {
            run(
                executable, arguments: arguments, environment: environment, workingDirectory: workingDirectory,
                input: input, whenDisposed: whenDisposed, scheduler: scheduler
            )
            .take(until: { $0.isEnd }, behavior: .inclusive)
            .reduce(CollectedOutput(limit: limit, subject: executable)) { try $0.adding($1) }
            .map(\.output)
        }
        .asSingle()
    }
}

/// Collects the output of one subscription. An object, as arrays in a value would be copied with each event.
private final class CollectedOutput {
    var output = ChildProcess.Output()
    private let limit: Int
    private let subject: String

    init(limit: Int, subject: String) {
        self.limit = limit
        self.subject = subject
    }

    func adding(_ event: ChildProcess.Event) throws -> CollectedOutput {
        switch event {
        case .started: break
        case .output(let chunk): chunk.withUnsafeBytes { output.output += $0 }
        case .errorOutput(let chunk): chunk.withUnsafeBytes { output.errorOutput += $0 }
        case .exited(let status): output.status = status
        case .signalled(let signal): output.signal = signal
        }
        if output.output.count + output.errorOutput.count > limit {
            throw IOError(code: EMSGSIZE, operation: "output", subject: subject)
        }
        return self
    }
}

extension ChildProcess.Event {
    /// True if the program has ended.
    fileprivate var isEnd: Bool {
        switch self {
        case .exited, .signalled: true
        case .started, .output, .errorOutput: false
        }
    }
}
