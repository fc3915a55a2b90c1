public import Dispatch
public import RxSwift

/// Programs that are run as child processes, as observables of what they write and of how they end.
public enum ChildProcess {
    /// What happens in the life of a child process.
    public enum Event: Equatable, Sendable {
        /// The program runs, as the process of this number. First of all events.
        case started(CInt)
        /// Written to standard output.
        case output(ByteChunk)
        /// Written to standard error.
        case errorOutput(ByteChunk)
        /// It has ended by itself, with this status. Last of all events, behind all output.
        case exited(status: CInt)
        /// A signal has ended it. Last of all events, behind all output.
        case signalled(CInt)
    }

    /// What is done to a child process that runs when nobody wants its events any more.
    public enum Disposal: Equatable, Sendable {
        /// `SIGKILL`, at once.
        case kill
        /// `SIGTERM`, and `SIGKILL` if it still runs after that time.
        case terminate(grace: DispatchTimeInterval)
    }

    /// How much is read at once, unless told otherwise: 64 KiB, what a pipe holds.
    public static let defaultChunkSize = 64 * 1024

    /// Runs a program: one process for each subscription.
    ///
    /// What the program writes is read ahead only into memory that the stream has, of standard output and of standard error
    /// each `window` chunks. While the observer holds on to all of them, the program waits in its next write, and its end is
    /// not told, of which `IOHooks.noticeHandler` is told after a second: collect copies, not chunks.
    ///
    /// The last event comes when the program has ended and everybody has closed its output: processes that it leaves behind
    /// and that keep it open delay it. The process is reaped in any case, also after a dispose and after the shutdown of the
    /// loop.
    ///
    /// The program gets no descriptors but 0, 1 and 2, no blocked signals, and stays in the caller's process group. Starting
    /// it takes the loop's thread about a millisecond, until the program is loaded.
    /// - Parameters:
    ///   - executable: a path, or a name without a slash, which is searched for in `PATH`.
    ///   - arguments: without the name of the program.
    ///   - environment: nil: that of this process.
    ///   - workingDirectory: nil: that of this process.
    ///   - input: what the program reads from standard input, subscribed to at once. What it does not read is dropped. An
    ///     error of `input` ends the sequence, as a dispose ends the program. Nil: the program finds an empty standard input.
    ///   - whenDisposed: how the program is ended by a dispose, an error, or the shutdown of the loop, if it is still running.
    ///   - chunkSize: bytes per chunk, at most.
    ///   - window: how many chunks may be in use at a time, at least 1.
    ///   - scheduler: the event loop on whose thread events are emitted.
    /// - Returns: events, `started` first and `exited` or `signalled` last. Fails with an `IOError`: `posix_spawn` if the
    ///   program cannot be started, `open`, `pipe2`, `chdir`, `read`, `write`; `waitpid` with `ECHILD` if somebody else has
    ///   reaped the child.
    public static func run(
        _ executable: String, arguments: [String] = [], environment: [String: String]? = nil,
        workingDirectory: String? = nil, input: Observable<ByteChunk>? = nil,
        whenDisposed: Disposal = .terminate(grace: .seconds(5)), chunkSize: Int = defaultChunkSize, window: Int = 2,
        scheduler: IOUringScheduler
    ) -> Observable<Event> {
        let command = Command(
            executable: executable, arguments: arguments, environment: environment, workingDirectory: workingDirectory)
        return run(
            command, input: input, whenDisposed: whenDisposed, chunkSize: chunkSize, window: window,
            awaitsEndByThread: false, scheduler: scheduler)
    }

    /// - Parameter awaitsEndByThread: as where the kernel has no descriptors for processes.
    package static func run(
        _ command: Command, input: Observable<ByteChunk>? = nil, whenDisposed: Disposal = .kill,
        chunkSize: Int = defaultChunkSize, window: Int = 2, awaitsEndByThread: Bool, scheduler: IOUringScheduler
    ) -> Observable<Event> {
        precondition(chunkSize > 0, "ChildProcess.run: the chunk size has to be positive, is \(chunkSize)")
        precondition(window > 0, "ChildProcess.run: the window has to be at least 1, is \(window)")
        return scheduler.observable {
            ChildProcessSource(
                command, input: input.map { DescriptorWriter($0, scheduler: scheduler) }, whenDisposed: whenDisposed,
                pools: (BytePool(size: chunkSize, limit: window), BytePool(size: chunkSize, limit: window)),
                awaitsEndByThread: awaitsEndByThread, loop: scheduler.loop, downstream: $0)
        }
    }
}
