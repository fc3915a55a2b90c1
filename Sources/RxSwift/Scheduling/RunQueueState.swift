// SPDX-License-Identifier: Apache-2.0

/// The word of a run queue: whether a thread drains the queue, and the job submitted last.
///
/// That job stays in the word when the drainer has taken it, so that a hop can tell whether its batch is still the last one.
struct RunQueueState: Equatable {
    let word: UInt

    /// The bit for a job that the drainer has taken.
    private static let taken: UInt = 1

    init(word: UInt) { self.word = word }

    /// No thread drains the queue, and no job waits.
    static let idle = RunQueueState(word: 0)

    /// A drainer is at work, and no job was submitted since it entered the idle queue.
    static let entered = RunQueueState(word: taken)

    /// `job` was submitted last, and waits on the stack.
    @inline(__always)
    static func submitted(_ job: Unmanaged<Job>) -> RunQueueState {
        RunQueueState(word: job.word)
    }

    @inline(__always)
    var isIdle: Bool { self == .idle }

    /// True if the drainer has taken all jobs from the stack. False if the queue is idle.
    @inline(__always)
    var isTaken: Bool { word & RunQueueState.taken != 0 }

    /// The address of the job submitted last; 0 if there is none.
    @inline(__always)
    var lastAddress: UInt { word & ~RunQueueState.taken }

    /// The top of the stack: the job submitted last, if it waits.
    @inline(__always)
    var newestPending: Unmanaged<Job>? { isTaken ? nil : Unmanaged(word: word) }

    /// The state behind this one when the drainer takes the stack.
    @inline(__always)
    var afterTaking: RunQueueState { RunQueueState(word: word | RunQueueState.taken) }
}
