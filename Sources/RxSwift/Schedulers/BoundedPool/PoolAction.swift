import RxPrimitives

/// A user's action that a pool holds, and the disposable that `schedule` returns for it, in one allocation for small states.
///
/// As `ScheduledAction`, which needs a second one for the closure that carries the state to the action. Here action and state
/// lie in the object, and the function that knows their types captures nothing, where the compiler knows the type of the state.
@usableFromInline
final class PoolAction: Job, Cancelable {
    /// What an action and its state have to fit into.
    @usableFromInline typealias Room = (UInt, UInt, UInt, UInt)

    @frozen
    @usableFromInline
    struct Work<State> {
        @usableFromInline let action: (State) -> any Disposable
        @usableFromInline let state: State

        @inlinable
        init(action: @escaping (State) -> any Disposable, state: State) {
            self.action = action
            self.state = state
        }
    }

    /// 0: waiting. 1: claimed by the one that runs or drops the action, for ever.
    private let claim = AtomicWord(0)

    /// A `Work`, as plain bytes. Belongs to the one that claims it, and is empty afterwards.
    @exclusivity(unchecked) @usableFromInline var room: Room

    /// Takes the work out of a room, and runs it, or only releases it.
    @usableFromInline let take: (_ room: UnsafeMutableRawPointer, _ runs: Bool) -> (any Disposable)?

    @inlinable
    init<State>(state: State, action: @escaping (State) -> any Disposable) {
        assert(PoolAction.hasRoom(for: State.self))
        room = (0, 0, 0, 0)
        take = { room, runs in
            let work = room.assumingMemoryBound(to: Work<State>.self).move()
            return runs ? work.action(work.state) : nil
        }
        super.init()
        withUnsafeMutableBytes(of: &room) {
            _ = $0.baseAddress.unsafelyUnwrapped.initializeMemory(
                as: Work<State>.self, to: Work(action: action, state: state))
        }
    }

    deinit {
        if claim.loadRelaxed() == 0 { _ = takeWork(andRun: false) }
    }

    /// Whether a state can lie in the object: it is small, and its bytes may be moved.
    @inlinable
    static func hasRoom<State>(for state: State.Type) -> Bool {
        _isPOD(state) && MemoryLayout<Work<State>>.size <= MemoryLayout<Room>.size
            && MemoryLayout<Work<State>>.alignment <= MemoryLayout<Room>.alignment
    }

    @usableFromInline var isDisposed: Bool { isCancelled }

    @usableFromInline
    func dispose() { cancel() }

    override func run(_ budget: inout Int) -> Bool {
        budget -= 1
        if claim.exchange(1) == 0, let result = takeWork(andRun: true) {
            // Most actions have nothing to dispose of: no stage is made for them.
            if type(of: result) != EmptyDisposable.self { link(DisposableStage(result)) }
        }
        return true
    }

    override func cancel() {
        guard let upstream = takeUpstream() else { return }
        if claim.exchange(1) == 0 { _ = takeWork(andRun: false) }
        upstream.take()?.cancel()
    }

    /// Only by the one that claimed it.
    @inline(__always)
    private func takeWork(andRun runs: Bool) -> (any Disposable)? {
        withUnsafeMutableBytes(of: &room) { take($0.baseAddress.unsafelyUnwrapped, runs) }
    }
}
