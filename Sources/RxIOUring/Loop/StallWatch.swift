// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The stall detector's watch on one loop.
final class StallWatch: @unchecked Sendable {
    let activity: LoopActivity
    /// The limit in nanoseconds.
    let limit: UInt64
    private let name: String
    /// The loop thread, which exists while `hasLeft` is false.
    private let thread: pthread_t

    /// True once the loop has ended its turns. Protected by the detector's lock.
    @exclusivity(unchecked) var hasLeft = false

    /// Used only by the detector's thread, as the stack of the stall that was reported last.
    @exclusivity(unchecked) private var state: StallStateMachine
    @exclusivity(unchecked) private var stack: ThreadStack?

    /// The time that the loop thread has to answer a signal. A thread that is about to run answers in microseconds.
    private static let answerTime: Int64 = 200_000_000
    private static let frameLimit = 128
    /// Every stack of a loop thread has more frames than this. With fewer, the thread was in code of a system library that the unwinder cannot
    /// leave, and another attempt soon succeeds.
    private static let minFrames = 3

    /// Makes a watch for the calling thread, which is that of the loop.
    init(_ activity: LoopActivity, limit: UInt64, name: String) {
        self.activity = activity
        self.limit = limit
        self.name = name
        thread = pthread_self()
        state = StallStateMachine(limit: activity.limit)
    }

    /// Looks at the loop, and reports a stall. Called by the detector's thread, without the lock.
    func look() {
        switch state.look(at: activity.reading) {
        case .none: break
        case .reportLasting(let start, let ticks):
            let stack = takeStack(ofTurnSince: start)
            self.stack = stack
            report(ticks, stack, isOver: false)
        case .reportEnd(let ticks, let wasReported):
            let known = wasReported ? stack : nil
            stack = nil
            report(ticks, known ?? ThreadStack(note: StallWatch.note(RX_STACK_OVER)), isOver: true)
        }
    }

    private func report(_ ticks: UInt64, _ stack: ThreadStack, isOver: Bool) {
        IOHooks.stallHandler(
            LoopStall(
                loop: name, nanoseconds: Int(clamping: max(limit, ProcessorCounter.nanoseconds(ticks: ticks))),
                isOver: isOver,
                stack: stack.frames, stackNote: stack.note, function: stack.function))
    }

    private func takeStack(ofTurnSince start: UInt64) -> ThreadStack {
        var stack = tryStack(ofTurnSince: start)
        for _ in 0..<4 where stack.note == nil && stack.frames.count <= StallWatch.minFrames {
            usleep(500)
            let other = tryStack(ofTurnSince: start)
            if other.note == nil { stack = other }
        }
        return stack
    }

    private func tryStack(ofTurnSince start: UInt64) -> ThreadStack {
        // Under the lock the thread exists: it leaves before it ends. The signal may end the call in which it waits, and with that the turn:
        // whether the turn lasts is asked when the stack is taken.
        let asked = StallDetector.withLock { hasLeft ? nil : rx_stack_ask(thread, activity.turnStartWord, UInt(start)) }
        guard let asked else { return ThreadStack(note: "the loop has ended") }
        if asked != RX_STACK_TAKEN { return ThreadStack(note: StallWatch.note(asked)) }
        var frames = [UnsafeMutableRawPointer?](repeating: nil, count: StallWatch.frameLimit)
        var count: CInt = 0
        let status = rx_stack_wait(StallWatch.answerTime, &frames, CInt(frames.count), &count)
        if status != RX_STACK_TAKEN { return ThreadStack(note: StallWatch.note(status)) }
        return ThreadStack(Array(frames.prefix(Int(count))))
    }

    private static func note(_ status: rx_stack_status) -> String {
        switch status {
        case RX_STACK_NO_SIGNAL: return "the program uses all real-time signals"
        case RX_STACK_REPLACED: return "the program has replaced the handler of the detector's signal"
        case RX_STACK_BUSY: return "another thread is still writing its stack"
        case RX_STACK_OVER: return "the turn ended before its stack was taken"
        case RX_STACK_NOT_SENT: return "the signal could not be sent"
        default: return "the thread did not take the signal: it blocks it, or is in an uninterruptible system call"
        }
    }
}
