/// Says, once for each stream, that it has waited a second or two for memory: its observer may be keeping all chunks, and would
/// then wait for ever for what the stream waits to read. For the loop's thread.
///
/// Made for streams that wait often and not long: a wait costs no timer, if one of an earlier wait is still armed.
final class StallWarning {
    private let subject: String
    /// How many chunks may be in use.
    private let window: Int
    private unowned(unsafe) let loop: EventLoop

    /// Armed in some wait.
    @exclusivity(unchecked) private var timer: DelayTimer?
    @exclusivity(unchecked) private var isWaiting = false
    /// How many waits there were.
    @exclusivity(unchecked) private var waits = 0
    /// Whether it was said.
    @exclusivity(unchecked) private var hasWarned = false

    /// - Parameter loop: outlives this.
    init(_ subject: String, window: Int, on loop: EventLoop) {
        self.subject = subject
        self.window = window
        self.loop = loop
    }

    /// The stream waits until one of its chunks is let go of.
    func blocked() {
        if isWaiting { return }
        isWaiting = true
        waits += 1
        if timer == nil, !hasWarned { arm() }
    }

    func unblocked() { isWaiting = false }

    /// The stream is at its end.
    func end() {
        isWaiting = false
        timer?.cancel(on: loop)
        timer = nil
    }

    private func arm() {
        timer = DelayTimer(on: loop, after: 1_000_000_000) { [weak self, waits] in self?.look(waits) }
    }

    /// - Parameter before: how many waits there were a second ago.
    private func look(_ before: Int) {
        timer = nil
        if !isWaiting { return }
        if waits != before { return arm() }
        hasWarned = true
        IOHooks.report(
            "\(subject): reading has waited a second for one of \(window) chunks to be let go of. An observer that keeps "
                + "chunks (toArray, buffer, scan) has to copy them: map { Array($0) }")
    }
}
