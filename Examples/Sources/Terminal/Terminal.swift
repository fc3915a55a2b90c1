// SPDX-License-Identifier: Apache-2.0

import Glibc
public import RxCocoa
public import RxIOUring
public import RxSwift

/// The terminal on standard input and output: a source of keys, and a place for frames.
public struct Terminal: Sendable {
    /// The keys from `run` on, for any number of subscribers. Ends when the terminal is gone.
    public let keys: ConnectableObservable<Key>
    /// The size of the window, now and after each change.
    public let size: Driver<WindowSize>
    private let hasColors: Bool
    private let scheduler: IOUringScheduler

    /// - Parameters:
    ///   - hasColors: whether frames are drawn in colors.
    ///   - scheduler: reads keys, writes frames, and receives the signals.
    /// - Throws: `TerminalError.notATerminal`.
    public init(hasColors: Bool = Terminal.wantsColors, scheduler: IOUringScheduler) throws {
        if isatty(STDIN_FILENO) == 0 { throw TerminalError.notATerminal("standard input") }
        if isatty(STDOUT_FILENO) == 0 { throw TerminalError.notATerminal("standard output") }
        self.hasColors = hasColors
        self.scheduler = scheduler
        keys = DescriptorStream.read(STDIN_FILENO, scheduler: scheduler)
            // A process in the background may not read, though its terminal is there.
            .retry { errors in
                errors.flatMap { error in
                    Self.isInputError(error) && !Self.isGone(error)
                        ? Observable<Int>.timer(.milliseconds(100), scheduler: scheduler) : .error(error)
                }
            }
            .catch { error in Self.isGone(error) ? .empty() : .error(error) }
            .keys(scheduler: scheduler)
            .publish()
        // The size is asked for once changes are observed.
        size = Observable.merge(Signals.observe(SIGWINCH, scheduler: scheduler), .just(SIGWINCH))
            .map { _ in WindowSize(of: STDOUT_FILENO) }
            .distinctUntilChanged()
            .asDriver(onErrorDriveWith: .empty())
    }

    /// False if the environment has a variable `NO_COLOR` that is not empty.
    public static var wantsColors: Bool {
        guard let value = getenv("NO_COLOR") else { return true }
        return value.pointee == 0
    }

    /// The way in which a program has ended.
    public enum Outcome<Result: Sendable>: Sendable {
        case result(Result)
        /// Ctrl-C (SIGINT), a signal, or a terminal that is gone (SIGHUP).
        case signal(CInt)
    }

    /// Shows frames until there is a result, or a reason to end without one. Then the terminal is as before.
    ///
    /// Ctrl-Z gives the terminal back until the process is continued. After other stops the screen is drawn again.
    /// - Parameters:
    ///   - frames: the newest frame is shown, at most every 16 milliseconds.
    ///   - result: its first element ends the program.
    @MainActor public func run<Result: Sendable>(
        _ frames: Driver<Frame>, until result: Observable<Result>
    ) async throws -> Outcome<Result> {
        let outcome = Observable.merge(result.map { Outcome.result($0) }, endings())
            .take(1)
            .share(replay: 1, scope: .forever)
        let bag = CompositeDisposable()
        defer { bag.dispose() }
        // Held while the program is suspended, so that the state behind the frames stays.
        _ = bag.insert(frames.drive())
        _ = bag.insert(outcome.subscribe(onError: { _ in }))
        var isFirst = true
        while true {
            let interruption = Observable.merge(outcome.map { Interruption.end($0) }, pauses())
                .take(1)
                .share(replay: 1, scope: .forever)
            _ = bag.insert(interruption.subscribe(onError: { _ in }))
            if isFirst { _ = bag.insert(keys.connect()) }
            isFirst = false
            do {
                try await show(frames, until: interruption)
                switch try await interruption.asSingle().value {
                case .end(let outcome):
                    RawMode.discardInput(STDIN_FILENO)
                    return outcome
                case .suspend: JobControl.stop()
                case .resume: break
                }
            } catch {
                guard Self.isGone(error) else { throw error }
                return .signal(SIGHUP)
            }
        }
    }

    /// The reasons for which the screen is given back.
    private enum Interruption<Result: Sendable>: Sendable {
        case end(Outcome<Result>)
        case suspend
        /// The process was stopped, and other programs may have changed the terminal.
        case resume
    }

    private func endings<Result>() -> Observable<Outcome<Result>> {
        let interrupts = keys.filter { $0 == .interrupt }.map { _ in SIGINT }
        let hangUp = keys.ignoreElements().asCompletable().andThen(Observable.just(SIGHUP))
        let signals = Signals.observe(SIGINT, SIGTERM, SIGHUP, scheduler: scheduler)
        return Observable.merge(interrupts, hangUp, signals).map { Outcome.signal($0) }
    }

    private func pauses<Result>() -> Observable<Interruption<Result>> {
        Observable.merge(
            keys.filter { $0 == .suspend }.map { _ in Interruption.suspend },
            Signals.observe(SIGCONT, scheduler: scheduler).map { _ in Interruption.resume })
    }

    /// Shows frames until there is an interruption; then everything is written, and the settings are restored.
    private func show<Result>(
        _ frames: Driver<Frame>, until interruption: Observable<Interruption<Result>>
    ) async throws {
        let mode = try RawMode(STDIN_FILENO)
        defer { mode.restore() }
        let drawing = Driver.combineLatest(frames, size) { (frame: $0, size: $1) }
            .throttle(.milliseconds(16))
            .asObservable()
            .take(until: interruption)
            .scan(into: Painter(hasColors: hasColors)) { painter, new in painter.paint(new.frame, size: new.size) }
            .map { painter in painter.output }
            .filter { !$0.isEmpty }
        let output = Observable.concat(.just(Painter.enter), drawing, .just(Painter.leave)).map { ByteChunk($0) }
        // A terminal that takes no output does not keep the program from ending.
        let limit = interruption.delay(.seconds(1), scheduler: scheduler)
        try await DescriptorStream.write(output, to: STDOUT_FILENO, scheduler: scheduler)
            .asObservable()
            .take(until: limit)
            .asCompletable()
            .value
    }

    private static func isInputError(_ error: any Error) -> Bool { (error as? IOError)?.code == EIO }

    /// Returns true for the error of a terminal whose window or connection was closed.
    private static func isGone(_ error: any Error) -> Bool {
        var settings = termios()
        return isInputError(error) && tcgetattr(STDIN_FILENO, &settings) != 0
    }
}
