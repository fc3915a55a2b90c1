import TestSupport
import Testing

/// The words by which a thread that hands over and a loop that goes to sleep agree, in all interleavings, without threads.
///
/// A model: each step is one access to a shared word. Under test is the protocol, as `TurnQueue` and `EventLoop` have it.
@Suite struct SleepProtocolTests {
    @Test(arguments: [[1], [2], [1, 1], [2, 1], [2, 2]])
    func noWakeUpIsLost(posts: [Int]) {
        var explored = Exploration(SleepModel(posts: posts)) {
            $0.successors
        } isWrong: { model in
            // Nobody can do a step any more, and something was not run.
            model.successors.isEmpty && (model.ran != posts.reduce(0, +) || model.pending != 0)
        }
        explored.run()
        #expect(explored.wrong == nil)
        #expect(explored.count > 10)
    }

    /// The model notices: without the look at the word in `tryRest` it would be lost.
    @Test func aLoopThatSleepsWithoutLookingLosesOne() {
        var explored = Exploration(SleepModel(posts: [1, 1], looks: false)) {
            $0.successors
        } isWrong: {
            $0.successors.isEmpty && $0.ran != 2
        }
        explored.run()
        #expect(explored.wrong != nil)
    }

    /// While a hop's event is handed over by a thread that knows of work which the loop queued itself, another thread hands
    /// over, too, and the loop takes that up. The event must not become part of a turn that is in front of that work.
    @Test func aTurnIsNotExtendedBehindOtherWork() {
        var explored = Exploration(LastModel(notesAtOnce: true)) {
            $0.successors
        } isWrong: {
            $0.extended
        }
        explored.run()
        #expect(explored.wrong == nil)
    }

    /// The model notices.
    @Test func aMomentWithoutANoteWouldBeEnough() {
        var explored = Exploration(LastModel(notesAtOnce: false)) {
            $0.successors
        } isWrong: {
            $0.extended
        }
        explored.run()
        #expect(explored.wrong != nil)
    }
}

/// Posters: compare-and-swap, and a wake-up if the queue was idle. The loop: runs, tries to rest, waits, resumes.
private struct SleepModel: Hashable {
    enum Poster: Hashable {
        case idle
        /// Has read the word.
        case read(Word)
        /// Has pushed into an idle queue.
        case mustWake
    }

    /// What matters of the queue's word.
    enum Word: Hashable {
        case idle, taken
        case pending(Int)
    }

    enum Loop: Hashable {
        case running
        /// Has read the word and found it taken.
        case restingAfterRead
        case waiting
        case woken
    }

    var word = Word.taken
    /// Pushed and not taken, whatever the word says.
    var pending = 0
    var ran = 0
    var loop = Loop.running
    var posters: [Poster]
    var left: [Int]
    /// The count of the eventfd, of which only whether it is 0 matters.
    var signalled = false
    let looks: Bool

    init(posts: [Int], looks: Bool = true) {
        left = posts
        posters = posts.map { _ in .idle }
        self.looks = looks
    }

    /// The states that one step of anybody leads to.
    var successors: [SleepModel] {
        posters.indices.compactMap(afterStep(ofPoster:)) + [afterStepOfLoop()].compactMap { $0 }
    }

    private func afterStep(ofPoster number: Int) -> SleepModel? {
        var next = self
        switch posters[number] {
        case .idle:
            if left[number] == 0 { return nil }
            next.posters[number] = .read(word)
        case .read(let known):
            guard known == word else {
                next.posters[number] = .read(word)
                return next
            }
            next.pending += 1
            next.word = .pending(next.pending)
            next.left[number] -= 1
            next.posters[number] = known == .idle ? .mustWake : .idle
        case .mustWake:
            next.signalled = true
            next.posters[number] = .idle
        }
        return next
    }

    private func afterStepOfLoop() -> SleepModel? {
        var next = self
        switch loop {
        case .running:
            if case .pending = word {
                next.ran += pending
                next.pending = 0
                next.word = .taken
            } else {
                next.loop = .restingAfterRead
            }
        case .restingAfterRead:
            if word == .taken || !looks {
                next.word = .idle
                next.loop = .waiting
            } else {
                next.loop = .running
            }
        case .waiting:
            // Nothing but a signal ends the sleep.
            guard signalled else { return nil }
            next.signalled = false
            next.loop = .woken
        case .woken:
            if word == .idle { next.word = .taken }
            next.loop = .running
        }
        return next
    }
}

/// A turn A that is being run. The loop has queued B behind it, of which the hop's thread knows. Another thread pushes C; the
/// loop queues D, for which it takes C first. The hop's thread asks whether A is last.
private struct LastModel: Hashable {
    enum Job: Hashable { case a, b, c, d }

    struct Word: Hashable {
        var job: Job
        var isTaken: Bool
    }

    var state = Word(job: .a, isTaken: true)
    var last: Job? = .b
    /// Steps that the loop, the hop's thread and the other thread have done.
    var loop = 0
    var hop = 0
    var other = 0
    /// What the hop's thread has read.
    var known: Word?
    var extended = false
    let notesAtOnce: Bool

    init(notesAtOnce: Bool) { self.notesAtOnce = notesAtOnce }

    var successors: [LastModel] { [afterStepOfOther(), afterStepOfLoop(), afterStepOfHop()].compactMap { $0 } }

    private func afterStepOfOther() -> LastModel? {
        if other == 1 { return nil }
        var next = self
        next.state = Word(job: .c, isTaken: false)
        next.other = 1
        return next
    }

    private func afterStepOfLoop() -> LastModel? {
        var next = self
        next.loop += 1
        switch loop {
        case 0:
            // `takePending`: nothing is pending, or it notes.
            if state.isTaken { next.loop = 2 } else { next.last = notesAtOnce ? .d : nil }
        case 1: next.state.isTaken = true
        case 2: next.last = .d
        default: return nil
        }
        return next
    }

    private func afterStepOfHop() -> LastModel? {
        var next = self
        next.hop += 1
        switch hop {
        case 0: next.known = state
        case 1:
            guard let known else { return nil }
            let isLast = last == nil || !known.isTaken ? known.job == .a : last == .a
            next.extended = isLast
        default: return nil
        }
        return next
    }
}
