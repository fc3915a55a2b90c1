// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// Emits the events of one child process.
final class ChildProcessSource: LoopSource<ChildProcess.Event> {
    private let command: ChildProcess.Command
    private let input: DescriptorWriter?
    private let disposal: ChildProcess.Disposal
    private let pools: (output: BytePool, errorOutput: BytePool)
    private let awaitsEndByThread: Bool
    /// The start of the program, until it has come.
    @exclusivity(unchecked) private var start: BlockingCall<Result<StartedCommand, IOError>>?
    @exclusivity(unchecked) private var child: Child?
    /// The end of the program, until it was emitted.
    @exclusivity(unchecked) private var termination: Termination?
    @exclusivity(unchecked) private var hasEnded = false
    /// The readers of the two outputs, nil from their ends on.
    @exclusivity(unchecked) private var output: DescriptorReader?
    @exclusivity(unchecked) private var errorOutput: DescriptorReader?

    init(
        _ command: ChildProcess.Command, input: DescriptorWriter?, whenDisposed disposal: ChildProcess.Disposal,
        pools: (BytePool, BytePool), awaitsEndByThread: Bool, loop: EventLoop, downstream: Sink<ChildProcess.Event>
    ) {
        self.command = command
        self.input = input
        self.disposal = disposal
        self.pools = (pools.0, pools.1)
        self.awaitsEndByThread = awaitsEndByThread
        super.init(loop: loop, downstream: downstream)
    }

    override var subject: String { command.executable }

    override func subscribeToInput() { input?.subscribe() }

    override func wasStopped() { input?.unsubscribe() }

    override func begin() {
        let (command, disposal, hasInput) = (command, disposal, input != nil)
        start = BlockingCall(on: loop, in: loop.configuration.files) {
            Result { () throws(IOError) in try command.start(hasInput: hasInput) }
        } release: { result in
            // The subscription has ended meanwhile. The pipes are closed behind the signal, with the result.
            if case .success(let started) = result { ChildHandle(started.pid).endOffLoop(disposal) }
        } whenDone: { [self] result in
            start = nil
            switch result {
            case .success(.success(let started)): follow(started)
            case .success(.failure(let error)): fail(with: error)
            case .failure(let error): fail(with: error.ioError(subject: subject))
            }
        }
    }

    private func follow(_ started: StartedCommand) {
        child = Child(started.pid, on: loop, disposal: disposal, byThread: awaitsEndByThread, receive: ended)
        output = reader(started.output.take()!, pools.output) { [self] in received($0, isError: false) }
        errorOutput = reader(started.errorOutput.take()!, pools.errorOutput) { [self] in received($0, isError: true) }
        if let fd = started.input.take()?.take() { input?.start(Descriptor(fd, on: loop), receive: inputEnded) }
        emit(.started(started.pid))
        continueReading()
    }

    override func continueReading() {
        output?.read()
        errorOutput?.read()
    }

    override func end() {
        start?.cancel()
        start = nil
        // Before the input is closed: to a program that still runs, the end of a cut input would look like that of a whole one.
        child?.abandon()
        child = nil
        output?.close()
        output = nil
        errorOutput?.close()
        errorOutput = nil
        input?.close()
    }

    private func reader(
        _ end: consuming OwnedDescriptor, _ pool: BytePool, _ receive: @escaping (DescriptorReader.Outcome) -> Void
    ) -> DescriptorReader {
        DescriptorReader(
            Descriptor(end.take(), on: loop), pool: pool, on: loop, mustPause: mustPause, receive: receive)
    }

    private func received(_ outcome: DescriptorReader.Outcome, isError: Bool) {
        switch outcome {
        case .chunk(let chunk): emit(isError ? .errorOutput(chunk) : .output(chunk))
        case .failure(let code): fail("read", code)
        case .end:
            if isError {
                errorOutput?.close()
                errorOutput = nil
            } else {
                output?.close()
                output = nil
            }
            emitEndIfDrained()
        }
    }

    private func inputEnded(_ outcome: DescriptorWriter.Outcome) {
        switch outcome {
        // The program has stopped reading, which is no error.
        case .end, .failure(EPIPE): input?.close()
        case .failure(let code): fail("write", code)
        case .error(let error): fail(with: error)
        }
    }

    private func ended(_ termination: Termination) {
        self.termination = termination
        output?.drain(emitEndIfDrained)
        errorOutput?.drain(emitEndIfDrained)
        emitEndIfDrained()
    }

    /// Emits the end of the program after all that it has written, and completes when no process has its outputs open any more.
    private func emitEndIfDrained() {
        if let termination, output?.isDrained != false, errorOutput?.isDrained != false {
            self.termination = nil
            hasEnded = true
            switch termination {
            case .exited(let status): emit(.exited(status: status))
            case .signalled(let signal): emit(.signalled(signal))
            case .unknown: return fail("waitpid", ECHILD)
            }
        }
        if hasEnded, output == nil, errorOutput == nil { complete() }
    }
}
