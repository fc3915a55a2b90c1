// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import RxSwift

/// Programs that are run as child processes, as observables of their output and their ends.
public enum ChildProcess {
    /// An event in the life of a child process.
    public enum Event: Equatable, Sendable {
        /// The program runs, as the process of this number. First of all events.
        case started(CInt)
        /// Bytes that the program has written to standard output.
        case output(ByteChunk)
        /// Bytes that the program has written to standard error.
        case errorOutput(ByteChunk)
        /// The program has ended by itself, with this status.
        ///
        /// The event comes after all output of the program. Only output of processes that it has started, and that keep its output open, may
        /// follow.
        case exited(status: CInt)
        /// A signal has ended the program. Placed as `exited`.
        case signalled(CInt)
    }

    /// The way a child process is ended that still runs when its events are no longer wanted. Its process group is ended with it.
    public enum Disposal: Equatable, Sendable {
        /// Sends `SIGKILL` at once.
        case kill
        /// Sends `SIGTERM`, `SIGCONT` for what is stopped, and `SIGKILL` to what still runs after that time.
        ///
        /// After the shutdown of the loop, which does not wait for the grace period, a thread of this process sends `SIGKILL`. If this process
        /// exits earlier, processes that ignore `SIGTERM` keep running.
        case terminate(grace: DispatchTimeInterval)
    }

    /// Bytes per read by default: 64 KiB, the capacity of a pipe.
    public static let defaultChunkSize = 64 * 1024

    /// Runs a program: one process for each subscription.
    ///
    /// While a stage below pauses the source, such as an `observe(on:)` whose queue is full, the output is not read, and the program waits
    /// in its next write. Chunks that are kept cost memory.
    ///
    /// `exited` or `signalled` comes when the program itself has ended, after all that it has written. Processes that it has started may
    /// outlive it and keep its output open: their output follows, and the sequence completes when all of them have closed it. To end with the
    /// program, use `take(until:behavior: .inclusive)` with that event, as `output` does; their next write then fails with `EPIPE`.
    ///
    /// The program runs in a process group of its own. While the program runs, a dispose, an error and the shutdown of the loop end the
    /// whole group, and so the processes that the program has started, unless they have left the group as daemons do, or as jobs of an
    /// interactive shell. A program that has ended by itself leaves its processes alone; `kill` with the negated number of `started` reaches
    /// them. The keys of a terminal that send signals (Control-C) do not reach the program. The process is reaped in any case.
    ///
    /// The program gets no descriptors but 0, 1 and 2, and no blocked signals. The loop does not wait for its start: a thread, one of 32
    /// for all loops, has the system load it. If the subscription ends meanwhile, the program is ended as soon as it is loaded.
    /// - Parameters:
    ///   - executable: a path, or a name without a slash, which is searched for in `PATH`.
    ///   - arguments: without the name of the program.
    ///   - environment: nil: that of this process.
    ///   - workingDirectory: nil: that of this process.
    ///   - input: the chunks for the program's standard input, subscribed to at once. Chunks that the program does not read are
    ///     dropped. An error of `input` ends the sequence, as a dispose ends the program, once the program
    ///     has taken the chunks before it; it is dropped with them if the program ends earlier. Nil: the program finds an empty standard input.
    ///   - whenDisposed: the way a program that still runs is ended by a dispose, an error, or the shutdown of the loop.
    ///   - chunkSize: the most bytes per chunk, at least 1.
    ///   - window: the number of chunks of each output whose memory is kept for reuse, at least 1.
    ///   - scheduler: the event loop on whose thread events are emitted.
    /// - Returns: events, `started` first, and one `exited` or `signalled`. Fails with an `IOError`: `posix_spawn` if the
    ///   program cannot be started, `open`, `pipe2`, `chdir`, `read`, `write`; `waitpid` with `ECHILD` if other code has
    ///   reaped the child; `pthread_create` if the system has had no thread to start it for a second.
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

    /// - Parameter awaitsEndByThread: true to await the end as on a kernel that has no descriptors for processes.
    package static func run(
        _ command: Command, input: Observable<ByteChunk>? = nil, whenDisposed: Disposal = .kill,
        chunkSize: Int = defaultChunkSize, window: Int = 2, awaitsEndByThread: Bool, scheduler: IOUringScheduler
    ) -> Observable<Event> {
        if chunkSize <= 0 { fatalError("ChildProcess.run: the chunk size has to be positive, is \(chunkSize)") }
        if window <= 0 { fatalError("ChildProcess.run: the window has to be at least 1, is \(window)") }
        return scheduler.observable {
            ChildProcessSource(
                command, input: input.map { DescriptorWriter($0, scheduler: scheduler) }, whenDisposed: whenDisposed,
                pools: (BytePool(size: chunkSize, window: window), BytePool(size: chunkSize, window: window)),
                awaitsEndByThread: awaitsEndByThread, loop: scheduler.loop, downstream: $0)
        }
    }
}

extension ChildProcess.Event: Weighted {
    /// That of the bytes that the event carries.
    public var weightInBytes: Int {
        switch self {
        case .output(let chunk), .errorOutput(let chunk): chunk.weightInBytes
        case .started, .exited, .signalled: 0
        }
    }
}
