/// Warns once for each stream that has waited a second or two for memory.
///
/// Its observer may be keeping all chunks, and would then wait for ever for bytes that the stream cannot read. Used on the loop
/// thread only.
///
/// Suits streams with many short waits: a wait costs no timer if one of an earlier wait is still armed.
final class StallWarning {
    private let subject: String
    /// The number of chunks that may be in use.
    private let window: Int
    private unowned(unsafe) let loop: EventLoop

    /// The timer that this wait or an earlier one has armed.
    @exclusivity(unchecked) private var timer: DelayTimer?
    @exclusivity(unchecked) private var isWaiting = false
    /// The number of waits so far.
    @exclusivity(unchecked) private var waits = 0
    /// True once the warning was given.
    @exclusivity(unchecked) private var hasWarned = false

    /// - Parameter loop: has to outlive this object.
    init(_ subject: String, window: Int, on loop: EventLoop) {
        self.subject = subject
        self.window = window
        self.loop = loop
    }

    /// Begins a wait of the stream until one of its chunks is released.
    func blocked() {
        if isWaiting { return }
        isWaiting = true
        waits += 1
        if timer == nil, !hasWarned { arm() }
    }

    func unblocked() { isWaiting = false }

    /// Disarms the timer at the end of the stream.
    func end() {
        isWaiting = false
        timer?.cancel(on: loop)
        timer = nil
    }

    private func arm() {
        timer = DelayTimer(on: loop, after: 1_000_000_000) { [weak self, waits] in self?.look(waits) }
    }

    /// Warns if the wait of a second ago still lasts; arms the timer again if the present wait is a later one.
    ///
    /// - Parameter before: the number of waits a second ago.
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
